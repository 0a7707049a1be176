import { createHmac } from 'node:crypto';
import { slackFront } from '../../functions/front.ts';
import type { HappenDeps } from '../../shared/flows/index.ts';

const SECRET = 'signing-secret-of-the-simulation';
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Delivers a body to the front as API Gateway does, signed as Slack signs. Resolves with the HTTP status. */
export async function front(body: string, deps: HappenDeps, type = 'application/json'): Promise<number> {
  const handle = slackFront({
    ...deps,
    secrets: () => Promise.resolve([SECRET]),
    allowedBots: new Set(),
    log,
  });
  const timestamp = String(Math.floor(deps.now() / 1000));
  const signature = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  const { statusCode } = await handle({
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body,
    isBase64Encoded: false,
  });
  return statusCode;
}
