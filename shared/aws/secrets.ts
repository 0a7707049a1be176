import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { parseJson } from '../utils/index.ts';
import type { AwsCall } from './aws-request.ts';
import type { Clock } from '../runtime/index.ts';

const text = v.pipe(v.string(), v.minLength(1));

/** The Slack signing secret, and the previous one during a rotation, until a time (ms since 1970) or without end. */
export const slackSigningSchema = v.object({
  current: text,
  previous: v.optional(v.string()),
  previousUntil: v.optional(v.number()),
});
/** Returns the signing secrets that count at a time (ms since 1970), the current one first. */
export const listSigningSecrets = (
  { current, previous, previousUntil = Infinity }: v.InferOutput<typeof slackSigningSchema>,
  now: number,
): readonly string[] => (previous !== undefined && previousUntil > now ? [current, previous] : [current]);

/** The bot token and the bot's user id. */
export const slackBotSchema = v.object({ botToken: text, botUserId: v.optional(text) });
/** The Discord bot token. */
export const discordBotSchema = v.object({ botToken: text });
/** The credentials of the distributed app; empty or a placeholder for a single-workspace app. */
export const slackOAuthSchema = v.object({ clientId: text, clientSecret: text });
/**
 * The API key of the upstream, and further keys. Each has its own rate limits. `until`: when further keys end (ms since 1970), by their
 * fingerprints; the others have no end.
 */
export const upstreamKeysSchema = v.object({
  apiKey: text,
  more: v.optional(v.array(text)),
  until: v.optional(v.record(v.string(), v.number())),
});
/** The key of the web search, in the secret of the models: a secret of its own would need room among the variables of the workers. */
export const searchKeySchema = v.object({ searchKey: v.optional(text) });
export type UpstreamKeys = v.InferOutput<typeof upstreamKeysSchema>;

/** Returns what identifies a key in logs (`keyName`), tables and lists: the start of its hash. */
export const getKeyFingerprint = (key: string): string =>
  createHash('sha256').update(key).digest('hex').slice(0, 16);

/** A secret from Secrets Manager, cached for some minutes. */
export type Secret<T> = {
  /**
   * Returns the value. If an expired value cannot be reloaded, returns the old one. Rejects if it was never
   * loaded.
   */
  load(): Promise<T>;
  /** Reloads the value, for example after an API rejected it. Concurrent callers share one request. */
  refresh(): Promise<T>;
};

export const SECRET_TTL_MS = 5 * 60_000;
/**
 * For credentials that are reloaded when an API rejects them. Each load costs as much as ten SQS requests, so a deployment
 * with few questions would pay more for them than for its tables.
 */
export const RELOADED_IF_REJECTED_TTL_MS = 15 * 60_000;
/** How long an old value is used after a failed reload, before the next attempt. */
const STALE_TTL_MS = 30_000;

const getSecretResponse = v.object({ SecretString: v.string() });

/** The secret is missing or does not match its schema. Contains no value. */
export class InvalidSecretError extends Error {
  override readonly name = 'InvalidSecretError';
}

/**
 * Creates the reader of secret `id` (name or ARN), which is JSON of this shape. Concurrent loads share one
 * request. `ttlMs`: how long a value is cached, five minutes by default.
 */
export function createSecretReader<T>(
  id: string,
  shape: v.GenericSchema<unknown, T>,
  {
    aws,
    now,
    ttlMs = SECRET_TTL_MS,
  }: { readonly aws: AwsCall; readonly now: Clock; readonly ttlMs?: number },
): Secret<T> {
  let cached: { readonly value: T; readonly until: number } | undefined;
  let loading: Promise<T> | undefined;

  const fetch = async (): Promise<T> => {
    const input = JSON.stringify({ SecretId: id });
    const value = parseSecret(
      await aws({ service: 'secretsmanager', target: 'secretsmanager.GetSecretValue', input }),
      id,
      shape,
    );
    cached = { value, until: now() + ttlMs };
    return value;
  };
  const refresh = (): Promise<T> => {
    loading ??= fetch().finally(() => (loading = undefined));
    return loading;
  };
  const load = async (): Promise<T> => {
    const previous = cached;
    if (previous && now() < previous.until) return previous.value;
    if (!previous) return refresh();
    return refresh().catch(() => {
      cached = { value: previous.value, until: now() + STALE_TTL_MS };
      return previous.value;
    });
  };
  return { load, refresh };
}

/** Runs `run` once after `ms`. */
export type Schedule = (run: () => void, ms: number) => void;

/** Uses a timer that does not keep the process alive. It is late if Lambda freezes the process. */
export const onTimer: Schedule = (run, ms) => void setTimeout(run, ms).unref();

/** After failed loads while there is no value. */
const FIRST_LOAD_RETRY_DELAY_MS = 1_000;

/**
 * Loads the secret now and every five minutes. The schedule does not depend on requests, so requests without a
 * valid signature cause no calls. The returned function waits only for the first load, and returns undefined
 * while there is no value. `failed` receives each error; the old value stays.
 */
export function refreshRegularly<T>(
  of: Pick<Secret<T>, 'refresh'>,
  { schedule, failed }: { readonly schedule: Schedule; readonly failed: (error: unknown) => void },
): () => Promise<T | undefined> {
  let value: T | undefined;
  const refreshAndReschedule = async (): Promise<void> => {
    try {
      // Two attempts: Lambda may have frozen the process during the first one.
      value = await of.refresh().catch(() => of.refresh());
      schedule(() => void refreshAndReschedule(), SECRET_TTL_MS);
    } catch (error) {
      failed(error);
      schedule(
        () => void refreshAndReschedule(),
        value === undefined ? FIRST_LOAD_RETRY_DELAY_MS : STALE_TTL_MS,
      );
    }
  };
  // Not during the start: a first request costs as much time as loading all the code.
  const first = new Promise((resolve) => void setImmediate(resolve)).then(refreshAndReschedule);
  return async () => {
    await first;
    return value;
  };
}

function parseSecret<T>(content: unknown, id: string, shape: v.GenericSchema<unknown, T>): T {
  const createError = (what: readonly string[]) =>
    new InvalidSecretError(`Secret ${id}: ${what.join(', ')} missing or wrong`);
  if (!v.is(getSecretResponse, content)) throw createError(['no SecretString']);
  const { success, output, issues } = v.safeParse(shape, parseJson(content.SecretString));
  if (success) return output;
  throw createError(issues.map((issue) => v.getDotPath(issue) ?? 'not a JSON object'));
}
