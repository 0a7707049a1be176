import * as v from 'valibot';
import type { AwsAccess } from '../runtime/config/config.ts';

/** What Fargate gives the task: credentials that are good for some hours (docs: task-iam-roles). */
const answer = v.object({
  AccessKeyId: v.string(),
  SecretAccessKey: v.string(),
  Token: v.string(),
  Expiration: v.string(),
});

const HOST = 'http://169.254.170.2';
const DEADLINE_MS = 5_000;
/** New ones are there a good while before the old ones end. */
const AHEAD_MS = 10 * 60_000;
const AGAIN_MS = 30_000;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment with credentials in it, as Lambda has them: those of the container where it runs in one. `keep` is told of each
 * later set, for as long as the process runs. Rejects when the first set cannot be had.
 */
export async function withContainerCredentials(env: Env, keep: (env: Env) => void): Promise<Env> {
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  if (path === undefined) return env;
  const load = async (): Promise<{ readonly env: Env; readonly until: number }> => {
    const response = await fetch(new URL(path, HOST), { signal: AbortSignal.timeout(DEADLINE_MS) });
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = v.parse(answer, await response.json());
    return {
      env: {
        ...env,
        AWS_ACCESS_KEY_ID: AccessKeyId,
        AWS_SECRET_ACCESS_KEY: SecretAccessKey,
        AWS_SESSION_TOKEN: Token,
      },
      until: Date.parse(Expiration),
    };
  };
  const renewIn = (until: number): void => {
    const ms = Math.max(AGAIN_MS, until - AHEAD_MS - Date.now());
    setTimeout(() => void renew(until), Math.min(ms, 3_600_000)).unref();
  };
  const renew = async (before: number): Promise<void> => {
    try {
      const fresh = await load();
      keep(fresh.env);
      renewIn(fresh.until);
    } catch {
      // The old ones serve meanwhile; it is tried again well before they end.
      renewIn(before);
    }
  };
  const first = await load();
  renewIn(first.until);
  return first.env;
}

/**
 * What `read` makes of the environment of a process that lives on, with credentials that stay good: they are read at each request, since those of a
 * container change while it runs. Rejects as `withContainerCredentials` and `read` do.
 */
export async function containerConfig<Config extends { readonly aws: AwsAccess }>(
  env: Env,
  read: (env: Env) => Config,
): Promise<Config> {
  let newest: Config | undefined;
  const keep = (fresh: Env): void => {
    newest = read(fresh);
  };
  const first = read(await withContainerCredentials(env, keep));
  const aws: AwsAccess = {
    ...first.aws,
    renewing: true,
    get credentials() {
      return (newest ?? first).aws.credentials;
    },
  };
  return { ...first, aws };
}
