import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** Formats the secret of a webhook as Standard Webhooks does. `secret`: 32 random bytes. */
export const formatWebhookSecret = (secret: Uint8Array): string =>
  PREFIX + Buffer.from(secret).toString('base64');

/**
 * Returns the headers of a webhook (standardwebhooks.com): its id, when it was sent (s since 1970), and the HMAC-SHA256 of both and the body. The receiver
 * compares it, refuses old times, and drops an id that it knows.
 */
export function signWebhook(
  secret: string,
  { id, atSeconds, body }: { readonly id: string; readonly atSeconds: number; readonly body: string },
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const timestamp = String(Math.floor(atSeconds));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
