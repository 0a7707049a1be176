import { Guard, GuardError, type HostRules } from './guarded-fetch.ts';
import type { ToolClientRequest, ToolClientResponse } from './protocol.ts';

type WebhookRequest = Extract<ToolClientRequest, { kind: 'webhook' }>;

/** Sends a webhook to the address of an integration, once. Never rejects. The body of the response is not read, and redirects are not followed. */
export async function postWebhook(
  { url, headers, body, timeoutMs }: WebhookRequest,
  rules: HostRules,
): Promise<ToolClientResponse> {
  const guard = new Guard({ ...rules, signal: AbortSignal.timeout(timeoutMs) });
  try {
    const response = await guard.fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Parley-Webhooks/1' },
      body,
      isStatusEnough: true,
    });
    return { kind: 'delivered', status: response.status };
  } catch (error) {
    const reason = error instanceof GuardError ? error.reason : 'unreachable';
    return { kind: 'failed', reason, mayHaveRun: true };
  }
}
