-- Names besides the one that a spoke has: the one that it is to move to, and those that it has moved away from. These lead to
-- the present one until their time is over, and nobody else can have them as long.
alter table spokes add column wished_domain text check (wished_domain = lower(wished_domain));
create unique index spokes_one_wished_domain on spokes (wished_domain) where state <> 'removed';
create index spokes_by_wished_domain_backwards on spokes (reverse(wished_domain) collate "C")
  where state <> 'removed' and wished_domain is not null;

create table former_domains (
  domain text primary key check (domain = lower(domain)),
  spoke_id text not null references spokes (id),
  until timestamptz(3) not null
);
create index former_domains_of_spoke on former_domains (spoke_id);
create index former_domains_backwards on former_domains (reverse(domain) collate "C");
create index former_domains_by_end on former_domains (until);
