import * as v from 'valibot';
import { requestAuthorization } from './authorize.ts';
import { requestServer } from './call-server.ts';
import { fetchPage } from './fetch-page.ts';
import { postWebhook } from './post-webhook.ts';
import type { HostRules } from './guarded-fetch.ts';
import {
  type ToolClientRequest,
  toolClientRequestSchema,
  type ToolClientResponse,
  toolClientResponseSchema,
} from './protocol.ts';

/** Handles one request of a worker. Never rejects: a response that breaks the format (such as a token that is too long) is a failure. */
export async function handleToolRequest(event: unknown, rules: HostRules): Promise<ToolClientResponse> {
  const { success, output: request } = v.safeParse(toolClientRequestSchema, event);
  if (!success) return { kind: 'failed', reason: 'invalid', mayHaveRun: false };
  const response = await respond(request, rules);
  const isValid = v.is(toolClientResponseSchema, response);
  return isValid ? response : { kind: 'failed', reason: 'too-large', mayHaveRun: request.kind === 'call' };
}

function respond(request: ToolClientRequest, rules: HostRules): Promise<ToolClientResponse> {
  switch (request.kind) {
    case 'list':
    case 'call':
      return requestServer(request, rules);
    case 'page':
      return fetchPage(request, rules);
    case 'webhook':
      return postWebhook(request, rules);
    case 'authorize':
    case 'exchange':
    case 'refresh':
      return requestAuthorization(request, rules);
  }
}
