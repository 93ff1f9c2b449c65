-- Whether address and program of an event are shown to operators alone, because one of them acted. It is noted when the
-- event is written, so that it stays true when somebody becomes an operator or is one no more. For events that were
-- written before, or by a release that does not know the column, nobody can tell: theirs are not shown either.
alter table audit_events add column origin_private boolean not null default true;
