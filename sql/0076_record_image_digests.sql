-- An image is named by a tag, which its publisher can move. image_digest is the image that ran after the installation or the last
-- upgrade, restore or reapply, as the node reported it: `repository@sha256:…`, or `sha256:…` for an image without a registry.
alter table spokes
  add column image_digest text,
  add constraint spokes_have_a_short_image_digest check (length(image_digest) <= 400) not valid;
