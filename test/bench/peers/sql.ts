/** Defines the peers' statements, each supported by an index. Both peers send the same ones. */

export const CALLER = `select caller.id, caller.email, token.prefix, token.scope from api_tokens as token
  join users as caller on caller.id = token.user_id
  where token.token_hash = $1 and token.revoked_at is null and caller.disabled_at is null`;

const COLUMNS =
  `spoke.id, spoke.federation_id, spoke.slug, spoke.display_name, spoke.domain, spoke.size, spoke.identity,
  spoke.content, spoke.content_mode, spoke.brand, spoke.mail, spoke.copy_of, spoke.from_backup, spoke.image_digest,
  spoke.admin_email, spoke.region, spoke.lms_version, spoke.seed,
  spoke.state, spoke.state_reason, spoke.health, spoke.maintenance, spoke.namespace, spoke.created_at,
  spoke.updated_at, spoke.ready_at, spoke.observed_at, spoke.last_failed_at, spoke.storage_percent,
  spoke.drift`;

const MINE = "join federation_members as member on member.federation_id = spoke.federation_id and member.user_id";
const NEWEST = "order by spoke.created_at desc, spoke.id desc";

export const SPOKE = `select ${COLUMNS} from spokes as spoke where spoke.id = $1 and spoke.state <> 'removed'`;
export const MY_SPOKES = `select ${COLUMNS} from spokes as spoke ${MINE} = $1
  where spoke.state <> 'removed' ${NEWEST} limit $2`;
export const HUB_SPOKES = `select ${COLUMNS} from spokes as spoke
  where spoke.federation_id = $1 and spoke.state <> 'removed' ${NEWEST} limit $2`;
export const ACTIVITY = `select id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at
  from audit_events where spoke_id = $1 order by at desc, id desc limit $2`;
export const UNREAD = `select coalesce(sum(head.visible_events - coalesce(count.reads, 0)), 0) as count
  from federation_members as member join stream_heads as head on head.federation_id = member.federation_id
  left join notification_read_counts as count on count.user_id = member.user_id and count.about = 'hub'
    and count.federation_id = member.federation_id and count.spoke_id = ''
  where member.user_id = $1`;

/** Extra columns of a spoke: its former domains and its current operation. */
const BESIDE = `,
  (select coalesce(json_agg(json_build_object('domain', former.domain, 'until', former.until) order by former.until), '[]')
    from former_domains as former where former.spoke_id = spoke.id) as former_domains,
  (select to_json(job) from (
    select id, kind, state, federation_id, spoke_id, label, attempt, created_at, started_at, finished_at from jobs
    where spoke_id = spoke.id and visible and state in ('queued', 'running') order by seq limit 1
  ) as job) as operation`;

export const SPOKE_OF = `select ${COLUMNS}${BESIDE} from spokes as spoke ${MINE} = $2
  where spoke.id = $1 and spoke.state <> 'removed'`;
export const SPOKES_OF = `select ${COLUMNS}${BESIDE} from spokes as spoke ${MINE} = $1
  where spoke.state <> 'removed' ${NEWEST} limit $2`;
export const HUB_SPOKES_OF = `select ${COLUMNS}${BESIDE} from spokes as spoke ${MINE} = $2
  where spoke.federation_id = $1 and spoke.state <> 'removed' ${NEWEST} limit $3`;
export const ADMINISTERS = "select 1 from federation_members where federation_id = $1 and user_id = $2";
