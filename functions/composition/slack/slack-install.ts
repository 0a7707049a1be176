import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { completeInstall, type InstallContext } from '../../../shared/installs/complete-install.ts';
import { redeemCode } from '../../../shared/platforms/slack/oauth/oauth.ts';
import {
  askingAt,
  isOurState,
  newState,
  STATE_MS,
} from '../../../shared/platforms/slack/oauth/oauth-state.ts';
import { SCOPES } from '../../../shared/platforms/slack/oauth/scopes.ts';
import { awsCaller } from '../../../shared/aws/aws-request.ts';
import type { SlackOAuthConfig } from '../../../shared/runtime/config/config.ts';
import type { HttpAnswer } from '../../../shared/runtime/http.ts';
import { type Log, logger } from '../../../shared/runtime/log.ts';
import { ROUTES, SECRET_PLACEHOLDER } from '../../../shared/runtime/shared-names.ts';
import { kmsEncryptor } from '../../../shared/aws/kms-encryption.ts';
import { type Secret, secret, slackOAuth } from '../../../shared/aws/secrets.ts';
import type { Clock } from '../../../shared/runtime/time.ts';
import { fetchDynamo } from '../../../shared/storage/dynamodb/fetch-client.ts';
import { Installs } from '../../../shared/storage/installs/installs.ts';
import { notOffered, outcomePage } from './install-pages.ts';

export type SlackInstallDeps = {
  readonly app: Pick<Secret<v.InferOutput<typeof slackOAuth>>, 'load'>;
  readonly slackApiUrl: string;
  /** Where browsers reach the API, where that is not the name that the request says. */
  readonly publicUrl?: string | undefined;
  readonly installs: InstallContext['installs'];
  readonly now: Clock;
  readonly log: Log;
};

/** What the function reads of an event of API Gateway (payload 2.0). */
const asked = v.object({
  routeKey: v.string(),
  cookies: v.optional(v.array(v.string()), []),
  queryStringParameters: v.optional(v.record(v.string(), v.string()), {}),
  requestContext: v.object({ domainName: v.string() }),
});

const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::|$)/;

/** The two addresses of an install. Rejects only when the app's own secret cannot be read. */
export function slackInstall(deps: SlackInstallDeps): (event: unknown) => Promise<HttpAnswer> {
  return async (event) => {
    const read = v.safeParse(asked, event);
    // Not thrown: Lambda would write down the code and the cookie that the error holds.
    if (!read.success) return { statusCode: 400, body: '' };
    const { routeKey, cookies, queryStringParameters: query, requestContext } = read.output;
    const app = await deps.app.load();
    if (app.clientId === SECRET_PLACEHOLDER) return notOffered();
    const domainName = deps.publicUrl ? new URL(deps.publicUrl).host : requestContext.domainName;
    const local = LOOPBACK.test(domainName);
    const cookie = local ? 'parley-install' : '__Host-parley-install';
    const redirectUri = `${local ? 'http' : 'https'}://${domainName}${ROUTES.slackRedirect}`;
    const keep = (state: string, seconds: number): string =>
      `${cookie}=${state}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${local ? '' : '; Secure'}`;
    if (routeKey === `GET ${ROUTES.slackInstall}`) {
      const state = newState(app.clientSecret, deps.now());
      const authorizeUrl = new URL('/oauth/v2/authorize', deps.slackApiUrl).href;
      const location = askingAt({ authorizeUrl, clientId: app.clientId, scopes: SCOPES, redirectUri, state });
      const headers = { location, 'set-cookie': keep(state, STATE_MS / 1_000), 'cache-control': 'no-store' };
      return { statusCode: 302, headers, body: '' };
    }
    const kept = cookies.find((one) => one.startsWith(`${cookie}=`))?.slice(cookie.length + 1);
    const outcome = await completeInstall({ ...query, kept }, redirectUri, {
      installs: deps.installs,
      isOurs: (state, own) => isOurState(state, own, app.clientSecret, deps.now()),
      redeem: (code, to) => redeemCode({ ...app, slackApiUrl: deps.slackApiUrl, now: deps.now }, code, to),
      log: deps.log,
    });
    const page = outcomePage(outcome);
    return { ...page, headers: { ...page.headers, 'set-cookie': keep('', 0) } };
  };
}

/** What the deployed function works with. */
export function installDeps(config: SlackOAuthConfig, now: Clock = Date.now): SlackInstallDeps {
  const aws = awsCaller(config.aws, { deadlineMs: 3_000 });
  const sealer = kmsEncryptor(config.sealKeyId, aws);
  const dynamo = fetchDynamo(aws);
  return {
    app: secret(config.slackOAuthSecretId, slackOAuth, { aws, now }),
    slackApiUrl: config.slackApiUrl,
    publicUrl: config.publicUrl,
    installs: new Installs({ dynamo, table: config.conversationsTable, sealer, now, unique: randomUUID }),
    now,
    log: logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now).info,
  };
}
