-- Which trace a job belongs to: a traceparent, and behind a space its tracestate, as they were when it was asked for. Null for
-- what the service does by itself: that begins a trace, whose ids follow from the job's. It is read as strictly as a header.
alter table jobs add column trace text;
