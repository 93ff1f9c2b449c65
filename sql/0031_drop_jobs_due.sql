-- Calls (0028) and jobs_loose answer what this index answered.
drop index jobs_due;
