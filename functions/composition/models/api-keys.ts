import type { Log, Clock } from '../../../shared/runtime/index.ts';
import { getKeyFingerprint, type Secret, type UpstreamKeys } from '../../../shared/aws/index.ts';
import type { KeyPlace } from '../../../shared/storage/index.ts';
import { AuthError, QuotaError, type UpstreamError } from '../../../shared/upstream/index.ts';

/**
 * After this time a rejected key is offered again, because a 403 may have been corrected. The client itself does not send
 * a key again that got a 401.
 */
export const REJECTION_TTL_MS = 5 * 60_000;

/** The API keys of the upstream, by names that may be logged and stored. */
export type Keys = {
  /** The usable keys; all of them if all were rejected. */
  readonly names: (home?: KeyPlace) => Promise<readonly string[]>;
  /** The key of that name, or any key if that name no longer exists. `refresh` reads the secret again. */
  readonly value: (name: string | undefined, refresh: boolean) => Promise<string>;
  /** Whether the key of that name is one of the deployment, and not of a workspace. */
  readonly isOfDeployment: (name: string) => boolean;
  /** Notes that the upstream rejected this key with this status, also after a refresh. Returns whether there is another key. */
  readonly recordRejection: (name: string, status: number | undefined) => Promise<boolean>;
};

/** All keys at a time (ms since 1970): a further key may have an end. */
function listCurrent({ apiKey, more = [], until = {} }: UpstreamKeys, now: number): readonly string[] {
  return [...new Set([apiKey, ...more.filter((key) => (until[getKeyFingerprint(key)] ?? Infinity) > now)])];
}

/** The keys of one secret: `apiKey`, and those under `more`. */
export function createKeys(secret: Secret<UpstreamKeys>, now: Clock): Keys {
  const all = (keys: UpstreamKeys): readonly string[] => listCurrent(keys, now());
  const rejections = new Map<string, number>();
  const usable = (names: readonly string[]): readonly string[] =>
    names.filter((name) => (rejections.get(name) ?? -Infinity) + REJECTION_TTL_MS <= now());
  const names = async (): Promise<readonly string[]> => {
    const known = all(await secret.load()).map(getKeyFingerprint);
    const good = usable(known);
    return good.length > 0 ? good : known;
  };
  return {
    names,
    value: async (name, refresh) => {
      const known = all(await (refresh ? secret.refresh() : secret.load()));
      return known.find((key) => getKeyFingerprint(key) === name) ?? known[0] ?? '';
    },
    isOfDeployment: () => true,
    recordRejection: async (name) => {
      rejections.set(name, now());
      return usable(all(await secret.load()).map(getKeyFingerprint)).length > 0;
    },
  };
}

/**
 * Sends a request, and again with another key whenever its key (`keyName`) is rejected, until there is none; then the last rejection is thrown.
 * A rejected key of the deployment raises an alarm; one of a workspace does not, because only its owner can change it. A key of the deployment
 * whose account has no credit left for chat counts as rejected; for one of a workspace nobody else pays. Speech may have credit of its own.
 */
export async function* withOtherKeys<T>(
  call: () => AsyncIterable<T>,
  {
    keys,
    keyName,
    service,
    log,
  }: {
    readonly keys: Keys;
    readonly keyName: () => string | undefined;
    readonly service: 'chat' | 'speech';
    readonly log: Log;
  },
): AsyncGenerator<T> {
  for (;;) {
    let hasBegun = false;
    try {
      for await (const part of call()) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (error) {
      const name = keyName();
      const mayBeUnpaid = service === 'chat' && name !== undefined && keys.isOfDeployment(name);
      if (hasBegun || name === undefined || !isKeyRejection(error, mayBeUnpaid)) throw error;
      const { status, code, requestId } = error;
      const facts = { keyName: name, status, code, requestId };
      if (keys.isOfDeployment(name)) log('api-key.rejected', facts);
      else log('workspace-key.rejected', facts);
      if (!(await keys.recordRejection(name, error.status))) throw error;
    }
  }
}

/** How OpenRouter refuses an answer that could be too long for the credit that is left. */
const SHORT_OF_CREDIT = /\bmax_tokens\b|\bcan only afford\b/iu;

const isKeyRejection = (error: unknown, mayBeUnpaid: boolean): error is UpstreamError =>
  (error instanceof AuthError && error.code !== 'html') ||
  (error instanceof QuotaError && mayBeUnpaid && !SHORT_OF_CREDIT.test(error.message));
