import type { WorkerContext } from '../../../shared/worker/index.ts';
import {
  type Log,
  type TranscriberConfig,
  type WorkerConfig,
  type Clock,
  systemTime,
} from '../../../shared/runtime/index.ts';
import { type WorkspaceKeyStore, rejectedKeyCard, resolveLocale } from '../../../shared/settings/index.ts';
import {
  type AwsCall,
  createKmsEncryptor,
  RELOADED_IF_REJECTED_TTL_MS,
  createSecretReader,
  upstreamKeysSchema,
  getKeyFingerprint,
} from '../../../shared/aws/index.ts';
import {
  type Dynamo,
  type KeyPlace,
  type WorkspaceKey,
  WorkspaceKeys,
} from '../../../shared/storage/index.ts';
import { toLocale } from '../../../shared/i18n/index.ts';
import { type Keys, createKeys, REJECTION_TTL_MS } from './api-keys.ts';
import { getErrorFacts, LruMap } from '../../../shared/utils/index.ts';

/** How long a process caches the key of a workspace. */
const CACHE_TTL_MS = 60_000;
/** Of workspaces, and of their keys. Far more than the requests of a process have at a time. */
const MAX_ENTRIES = 1_000;
/** After a failed read, the next read waits this long. */
const RETRY_INTERVAL_MS = 10_000;

export type WorkspaceKeysContext = {
  readonly store: Pick<WorkspaceKeys, 'find' | 'decrypt' | 'markRejected'>;
  readonly now: Clock;
  readonly log: Log;
  /** Called once for each key that was removed. Never rejects. */
  readonly onKeyRemoved: (home: KeyPlace, key: WorkspaceKey) => Promise<void>;
};

/** A cached key. It has no value if the workspace has none or the upstream rejected it. */
type CachedKey = {
  readonly home: KeyPlace;
  readonly own?: { readonly key: WorkspaceKey; readonly value: string } | undefined;
  readonly until: number;
};

/** Uses the workspace's own key if it has one, otherwise those of the deployment. */
export function withOwnKeys(pool: Keys, { store, now, log, onKeyRemoved }: WorkspaceKeysContext): Keys {
  // Not a `TtlCache`: after a failed read the old value stays in use, and entries are looked up by the name of the key.
  const cache = new LruMap<string, CachedKey>(MAX_ENTRIES);
  /**
   * When each key of a workspace that this process has used was rejected, or -Infinity: a request may still have one that was replaced
   * meanwhile.
   */
  const rejectedAt = new LruMap<string, number>(MAX_ENTRIES);

  const read = async (home: KeyPlace): Promise<CachedKey> => {
    const id = `${home.platform}#${home.workspace}`;
    try {
      const key = await store.find(home);
      const isUsable = key && key.rejectedAt === undefined;
      const own = isUsable ? { key, value: await store.decrypt(home, key) } : undefined;
      cache.set(id, { home, own, until: now() + CACHE_TTL_MS });
      if (own) rejectedAt.set(own.key.name, rejectedAt.get(own.key.name) ?? -Infinity);
    } catch (error) {
      // The request uses the cached key or a key of the deployment.
      log('workspace-key.read-failed', { ...home, ...getErrorFacts(error) });
      cache.set(id, { home, own: cache.get(id)?.own, until: now() + RETRY_INTERVAL_MS });
    }
    return cache.get(id) ?? { home, until: 0 };
  };
  const findCached = async (home: KeyPlace): Promise<CachedKey> => {
    const known = cache.get(`${home.platform}#${home.workspace}`);
    return known && now() < known.until ? known : read(home);
  };
  const withName = (name: string | undefined): CachedKey[] =>
    [...cache.values()].filter(({ own }) => own !== undefined && own.key.name === name);

  return {
    names: async (home) => {
      const { own } = home ? await findCached(home) : {};
      const isOut = own && (rejectedAt.get(own.key.name) ?? -Infinity) + REJECTION_TTL_MS > now();
      return own && !isOut ? [own.key.name] : pool.names();
    },
    value: async (name, refresh) => {
      const [known] = withName(name);
      if (!known) return pool.value(name, refresh);
      const { own } = refresh ? await read(known.home) : known;
      return own ? own.value : pool.value(undefined, false);
    },
    isOfDeployment: (name) => rejectedAt.get(name) === undefined,
    recordRejection: async (name, status) => {
      const theirs = withName(name);
      if (theirs.length === 0) return pool.recordRejection(name, status);
      rejectedAt.set(name, now());
      for (const { home, own } of theirs) {
        // 401 means an unknown or revoked key. 403 may be about the model.
        const isRemoved = status === 401 && own && (await store.markRejected(home, name).catch(() => false));
        if (isRemoved) await onKeyRemoved(home, own.key);
      }
      return true;
    },
  };
}

type InfraClients = Pick<WorkerContext, 'messenger' | 'userProfile'> & {
  readonly settingsStore: Pick<WorkerContext['settingsStore'], 'layers'>;
  readonly aws: AwsCall;
  readonly dynamo: Dynamo;
  readonly log: Log;
  /** Default: the system clock. */
  readonly now?: Clock | undefined;
};

/** The keys of the deployment and of workspaces, and the commands that change them. */
export function createAllKeys(
  config: WorkerConfig | TranscriberConfig,
  { aws, dynamo, log, messenger, userProfile, settingsStore, now = systemTime.now }: InfraClients,
): { readonly keys: Keys; readonly ownKeys: WorkspaceKeyStore } {
  const encryptor = createKmsEncryptor(config.sealKeyId, aws);
  const store = new WorkspaceKeys({ dynamo, table: config.conversationsTable, encryptor, now });
  const pool = createKeys(
    createSecretReader(config.upstreamSecretId, upstreamKeysSchema, {
      aws,
      now,
      ttlMs: RELOADED_IF_REJECTED_TTL_MS,
    }),
    now,
  );
  const notifyOwner: WorkspaceKeysContext['onKeyRemoved'] = async (home, key) => {
    log('workspace-key.removed', { keyName: key.name, ...home });
    const { owner: user } = key;
    const [layers, reads] = await Promise.all([
      settingsStore.layers({ ...home, user }),
      userProfile(home, user),
    ]);
    const locale = resolveLocale(layers, reads.locale);
    const where = { platform: home.platform, locale: toLocale(reads.locale) };
    await messenger
      .sendDirectMessage(home, user, rejectedKeyCard(key, locale, where, config))
      .catch((error: unknown) => {
        // The card of the command `key` shows it too.
        log('workspace-key.notice-failed', { ...home, ...getErrorFacts(error) });
      });
  };
  return {
    keys: withOwnKeys(pool, { store, now, log, onKeyRemoved: notifyOwner }),
    ownKeys: {
      find: (home) => store.find(home),
      save: (home, value, owner) => store.save(home, { name: getKeyFingerprint(value), value, owner }),
      remove: (home) => store.remove(home),
    },
  };
}
