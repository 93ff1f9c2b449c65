-- Lists of spokes with at least a given storage percentage, and in the order of storage. Spokes whose usage is unknown are last.
-- accepts contract: programs work without the removed index, which the new index replaces
create index live_spokes_of_storage on live_spokes (storage_percent, created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_fullest on live_spokes (coalesce(storage_percent, -1) desc, spoke_id desc)
  include (storage_percent, federation_id);
drop index live_spokes_by_storage;
