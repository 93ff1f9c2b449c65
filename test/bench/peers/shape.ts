/** Converts rows to the shape of the API. */

// deno-lint-ignore no-explicit-any
export type Row = any;

interface FormerDomain {
  readonly domain: string;
  readonly until: string;
}

export function spokeOf(
  row: Row,
  operation: ReturnType<typeof operationOf> | null = null,
  formerDomains: FormerDomain[] = [],
) {
  return {
    id: row.id,
    federationId: row.federation_id,
    slug: row.slug,
    displayName: row.display_name,
    domain: row.domain,
    formerDomains,
    url: `http://${row.domain}`,
    size: row.size,
    identity: row.identity,
    content: row.content,
    contentMode: row.content_mode,
    brand: row.brand,
    mail: row.mail,
    adminEmail: row.admin_email,
    region: row.region,
    lmsVersion: row.lms_version,
    moodleVersion: row.lms_version,
    imageDigest: row.image_digest,
    from: row.copy_of === null ? null : { spokeId: row.copy_of, backupId: row.from_backup },
    seed: row.seed,
    state: row.state,
    status: row.state,
    stateReason: row.state_reason,
    health: row.health,
    maintenance: row.maintenance,
    namespace: row.namespace,
    operation,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    readyAt: row.ready_at,
    observedAt: row.observed_at,
    lastFailedAt: row.last_failed_at,
    storagePercent: row.storage_percent,
    drift: row.drift,
  };
}

export function operationOf(job: Row) {
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    federationId: job.federation_id,
    spokeId: job.spoke_id,
    step: 0,
    of: 10,
    label: job.label,
    attempt: job.attempt,
    position: 1,
    etaSeconds: null,
    waitingFor: null,
    nextAttemptAt: null,
    notes: [],
    createdAt: job.created_at,
    startedAt: job.started_at,
    finishedAt: job.finished_at,
    error: null,
  };
}

export function eventOf(row: Row) {
  return {
    id: row.id,
    kind: row.kind,
    actor: { id: row.actor_id, email: row.actor_email },
    objectType: row.object_type,
    objectId: row.object_id,
    metadata: row.metadata,
    ip: row.ip,
    userAgent: row.user_agent,
    at: row.at,
  };
}
