import type { WorkerContext, Log } from '../../shared/context/index.ts';
import { type WorkspaceKeyStore, rejectedKeyCard, resolveLocale } from '../../shared/settings/index.ts';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import type { TranscriberConfig, WorkerConfig } from '../../shared/runtime/config/config.ts';
import { kmsEncryptor } from '../../shared/aws/kms-encryption.ts';
import { secret, upstreamKeysSchema } from '../../shared/aws/secrets.ts';
import { type Clock, systemTime } from '../../shared/runtime/time.ts';
import { type Dynamo, type KeyPlace, type WorkspaceKey, WorkspaceKeys } from '../../shared/storage/index.ts';
import { toLocale } from '../../shared/i18n/index.ts';
import { keyName, type Keys, keysOf, REFUSED_MS } from './api-keys.ts';
import { errorName } from '../../shared/utils/error-name.ts';

/** How long a process caches the key of a workspace. */
const CACHE_TTL_MS = 60_000;
/** The time to the next read after a failed one. */
const AGAIN_MS = 10_000;

export type WorkspaceKeysSide = {
  readonly store: Pick<WorkspaceKeys, 'find' | 'decrypt' | 'refuse'>;
  readonly now: Clock;
  readonly log: Log;
  /** Called once for each key that was removed. Never rejects. */
  readonly tookOut: (home: KeyPlace, key: WorkspaceKey) => Promise<void>;
};

/** A cached key. It has no value if the workspace has none or the upstream refused it. */
type Held = {
  readonly home: KeyPlace;
  readonly own?: { readonly key: WorkspaceKey; readonly value: string } | undefined;
  readonly until: number;
};

/** Uses the workspace's own key if it has one, otherwise those of the deployment. */
export function withOwnKeys(pool: Keys, { store, now, log, tookOut }: WorkspaceKeysSide): Keys {
  // Not a `TtlCache`: after a failed read the old value stays in use, and entries are looked up by the name of the key.
  const held = new Map<string, Held>();
  const out = new Map<string, number>();

  const read = async (home: KeyPlace): Promise<Held> => {
    const id = `${home.platform}#${home.workspace}`;
    try {
      const key = await store.find(home);
      const usable = key && key.refused === undefined;
      const own = usable ? { key, value: await store.decrypt(home, key) } : undefined;
      held.set(id, { home, own, until: now() + CACHE_TTL_MS });
    } catch (error) {
      // Whoever asks is answered all the same: by the key that is known, or by the deployment's.
      log('workspace-key.read-failed', { error: errorName(error) });
      held.set(id, { home, own: held.get(id)?.own, until: now() + AGAIN_MS });
    }
    return held.get(id) ?? { home, until: 0 };
  };
  const at = async (home: KeyPlace): Promise<Held> => {
    const known = held.get(`${home.platform}#${home.workspace}`);
    return known && now() < known.until ? known : read(home);
  };
  const named = (name: string | undefined): Held[] =>
    [...held.values()].filter(({ own }) => own !== undefined && own.key.name === name);

  return {
    names: async (home) => {
      const { own } = home ? await at(home) : {};
      const isOut = own && (out.get(own.key.name) ?? -Infinity) + REFUSED_MS > now();
      return own && !isOut ? [own.key.name] : pool.names();
    },
    value: async (name, refresh) => {
      const [known] = named(name);
      if (!known) return pool.value(name, refresh);
      const { own } = refresh ? await read(known.home) : known;
      return own ? own.value : pool.value(undefined, false);
    },
    refuse: async (name, status) => {
      const theirs = named(name);
      if (theirs.length === 0) return pool.refuse(name, status);
      out.set(name, now());
      for (const { home, own } of theirs) {
        // 401 is for unknown and revoked keys; 403 may be about the model.
        const gone = status === 401 && own && (await store.refuse(home, name).catch(() => false));
        if (gone) await tookOut(home, own.key);
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
export function allKeys(
  config: WorkerConfig | TranscriberConfig,
  {
    aws,
    dynamo,
    log,
    messenger: stage,
    userProfile: people,
    settingsStore: choices,
    now = systemTime.now,
  }: InfraClients,
): { readonly keys: Keys; readonly ownKeys: WorkspaceKeyStore } {
  const encryptor = kmsEncryptor(config.sealKeyId, aws);
  const store = new WorkspaceKeys({ dynamo, table: config.conversationsTable, encryptor, now });
  const pool = keysOf(secret(config.upstreamSecretId, upstreamKeysSchema, { aws, now }), now);
  const tookOut: WorkspaceKeysSide['tookOut'] = async (home, key) => {
    log('workspace-key.rejected', { keyName: key.name });
    const { owner: user } = key;
    const [layers, reads] = await Promise.all([choices.layers({ ...home, user }), people(home, user)]);
    const locale = resolveLocale(layers, reads.locale);
    const where = { platform: home.platform, locale: toLocale(reads.locale) };
    await stage
      .sendDirectMessage(home, user, rejectedKeyCard(key, locale, where, config))
      .catch((error: unknown) => {
        // It stands on the card of the command, too.
        log('workspace-key.notice-failed', { error: errorName(error) });
      });
  };
  return {
    keys: withOwnKeys(pool, { store, now, log, tookOut }),
    ownKeys: {
      find: (home) => store.find(home),
      save: (home, value, owner) => store.save(home, { name: keyName(value), value, owner }),
      remove: (home) => store.remove(home),
    },
  };
}
