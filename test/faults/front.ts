import { createHmac } from 'node:crypto';
import { createSlackFront } from '../../functions/composition/slack/slack-front.ts';
import type { HandleEventContext } from '../../shared/intake/index.ts';

/** Before and after the rotation. */
const SECRETS = ['signing-secret-of-the-simulation', 'the-next-signing-secret'] as const;
const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** The secret with which Slack signs, and those that the front holds. */
export type Signing = { readonly by: 0 | 1; readonly openSlots: readonly (0 | 1)[] };
const USUAL: Signing = { by: 0, openSlots: [0] };

/**
 * A rotation this long (ms) after the start: the deployment holds both secrets before Slack signs with the new one.
 */
export const signingAt = (ms: number, rotatesAfterMs: number | undefined): Signing =>
  rotatesAfterMs === undefined ? USUAL : { by: ms < rotatesAfterMs ? 0 : 1, openSlots: [1, 0] };

/** Schedules of a story send the same events. */
const signatures = new Map<string, string>();
const MAX_SIGNATURES = 1_000;

function signatureOf(secret: string, text: string): string {
  const key = `${secret} ${text}`;
  const known = signatures.get(key);
  if (known !== undefined) return known;
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  if (signatures.size >= MAX_SIGNATURES) signatures.clear();
  signatures.set(key, signature);
  return signature;
}

/**
 * Sends a body to the front as API Gateway does, signed as Slack signs at that time. Resolves with the HTTP status.
 */
export async function front(
  body: string,
  context: HandleEventContext & { readonly sentAt: number },
  type = 'application/json',
  { by, openSlots }: Signing = USUAL,
): Promise<number> {
  const handle = createSlackFront({
    ...context,
    secrets: () => Promise.resolve(openSlots.map((one) => SECRETS[one])),
    allowedBots: new Set(),
    log,
  });
  const timestamp = String(Math.floor(context.sentAt / 1000));
  const signature = signatureOf(SECRETS[by], `v0:${timestamp}:${body}`);
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
