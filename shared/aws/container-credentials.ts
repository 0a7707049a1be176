import * as v from 'valibot';
import type { AwsAccess } from '../runtime/index.ts';

/** The credentials of a Fargate task, valid for some hours (docs: task-iam-roles). */
const credentialsSchema = v.object({
  AccessKeyId: v.string(),
  SecretAccessKey: v.string(),
  Token: v.string(),
  Expiration: v.string(),
});

const HOST = 'http://169.254.170.2';
const REQUEST_TIMEOUT_MS = 5_000;
/** Fargate offers new credentials well before the old ones expire. */
const RENEW_BEFORE_EXPIRY_MS = 10 * 60_000;
const MIN_RENEW_DELAY_MS = 30_000;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment with credentials, as on Lambda. In a container it requests them, and passes each
 * later set to `onRenewal` as long as the process runs. Rejects if the first request fails.
 */
async function withContainerCredentials(env: Env, onRenewal: (env: Env) => void): Promise<Env> {
  const path = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  if (path === undefined) return env;
  const load = async (): Promise<{ readonly env: Env; readonly until: number }> => {
    const response = await fetch(new URL(path, HOST), { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = v.parse(
      credentialsSchema,
      await response.json(),
    );
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
  const scheduleRenewal = (until: number): void => {
    const ms = Math.max(MIN_RENEW_DELAY_MS, until - RENEW_BEFORE_EXPIRY_MS - Date.now());
    setTimeout(() => void renew(until), Math.min(ms, 3_600_000)).unref();
  };
  const renew = async (expiresAtMs: number): Promise<void> => {
    try {
      const fresh = await load();
      onRenewal(fresh.env);
      scheduleRenewal(fresh.until);
    } catch {
      // The old credentials are still valid; the next attempt comes well before they expire.
      scheduleRenewal(expiresAtMs);
    }
  };
  const firstCredentials = await load();
  scheduleRenewal(firstCredentials.until);
  return firstCredentials.env;
}

/**
 * Reads the configuration of a long-running process. Its credentials stay valid: each request reads the current
 * ones, because those of a container change. Rejects as `withContainerCredentials` and `read` do.
 */
export async function readContainerConfig<Config extends { readonly aws: AwsAccess }>(
  env: Env,
  read: (env: Env) => Config,
): Promise<Config> {
  let renewedConfig: Config | undefined;
  const onRenewal = (fresh: Env): void => {
    renewedConfig = read(fresh);
  };
  const firstCredentials = read(await withContainerCredentials(env, onRenewal));
  const aws: AwsAccess = {
    ...firstCredentials.aws,
    renewing: true,
    get credentials() {
      return (renewedConfig ?? firstCredentials).aws.credentials;
    },
  };
  return { ...firstCredentials, aws };
}
