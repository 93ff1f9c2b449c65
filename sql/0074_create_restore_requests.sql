-- Requests that an operator restore a spoke from a backup: admins of a hub ask, and restoring is an operator's work.
--
--            restored, or marked    done
--   open ------------------------+-> declined
--            declined
create table restore_requests (
  id text primary key,
  federation_id text not null references federations (id),
  spoke_id text not null references spokes (id),
  backup_id text not null,
  reason text not null,
  state text not null default 'open' check (state in ('open', 'done', 'declined')),
  requested_by text not null references users (id),
  decided_by text references users (id),
  decided_at timestamptz(3),
  decline_reason text,
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((state = 'open') = (decided_at is null)),
  check (state <> 'open' or decided_by is null),
  check ((state = 'declined') = (decline_reason is not null))
);
create unique index restore_requests_one_open_per_backup on restore_requests (spoke_id, backup_id) where state = 'open';
create index restore_requests_newest on restore_requests (created_at desc, id desc);
create index restore_requests_of_spoke on restore_requests (spoke_id, created_at desc, id desc);
create index restore_requests_of_user on restore_requests (requested_by, created_at desc) where state = 'open';
