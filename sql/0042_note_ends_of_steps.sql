-- When each step of a job ended, by the step's name; the last one ends with the job. By name and not in the order of
-- steps_done: an older release beside this one adds to that alone, and the end of such a step is unknown and nothing else.
alter table jobs add column step_ends jsonb not null default '{}';
