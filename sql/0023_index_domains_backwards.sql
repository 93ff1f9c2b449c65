-- For whether a name below a domain is taken: backwards such names begin alike. The unique index answers for names above.
create index spokes_by_domain_backwards on spokes (reverse(domain) collate "C") where state <> 'removed';
