import * as v from 'valibot';
import { serverToolSchema } from '../domain/index.ts';

/*
 * What the workers exchange with the function that talks to the servers. The function keeps nothing: what is needed again (OAuth) travels in
 * `session`.
 */

/** Most tools of a server that are read. */
export const MAX_LISTED_TOOLS = 64;
/** The longest result of a call (characters). */
export const MAX_RESULT_LENGTH = 24_000;
/** The longest text and title of a page (characters). */
export const MAX_PAGE_LENGTH = 400_000;
export const MAX_PAGE_TITLE_LENGTH = 200;
/** The largest PDF that is fetched from an address (bytes): in base64, a response of a Lambda function has at most 6 MB. */
export const MAX_PAGE_PDF_BYTES = 4_000_000;

/** The longest body of a webhook (characters): an answer of the maximum size, escaped. */
const MAX_WEBHOOK_BODY = 1_000_000;

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const url = text(2_000);
/** The key or OAuth token, sent as `Authorization: Bearer`. */
const token = v.optional(text(8_192));
const timeoutMs = v.pipe(v.number(), v.minValue(1), v.maxValue(20_000));
/** What is stored encrypted: the limit of KMS. */
const encrypted = v.pipe(v.string(), v.maxBytes(4_096));
/** The state of an authorization between its steps, as JSON. Secret. */
const session = encrypted;

export const toolClientRequestSchema = v.variant('kind', [
  /** Reads the list of tools. */
  v.object({ kind: v.literal('list'), url, token, timeoutMs }),
  /** Calls a tool, once. `tool` is its name on the server. */
  v.object({
    kind: v.literal('call'),
    url,
    token,
    tool: text(200),
    args: v.record(v.string(), v.unknown()),
    timeoutMs,
  }),
  /** Prepares a sign-in: finds the authorization server and registers with it. */
  v.object({
    kind: v.literal('authorize'),
    url,
    redirectUrl: url,
    state: text(200),
    timeoutMs,
  }),
  /** Exchanges the code that the person brought back. `issuer`: the `iss` that came with it. */
  v.object({
    kind: v.literal('exchange'),
    session,
    code: text(4_096),
    issuer: v.optional(text(4_096)),
    timeoutMs,
  }),
  /** Sends a webhook to an address of an integration. `headers` are those of its signature. */
  v.object({
    kind: v.literal('webhook'),
    url,
    headers: v.object({
      'webhook-id': text(100),
      'webhook-timestamp': text(20),
      'webhook-signature': text(200),
    }),
    body: text(MAX_WEBHOOK_BODY),
    timeoutMs,
  }),
  /** Gets a new access token. */
  v.object({ kind: v.literal('refresh'), session, refreshToken: encrypted, timeoutMs }),
  /** Reads the text of a page, or fetches a PDF. */
  v.object({ kind: v.literal('page'), url, timeoutMs }),
]);
export type ToolClientRequest = v.InferOutput<typeof toolClientRequestSchema>;

/** Why a request has no result. */
export const FAILURE_REASONS = [
  /** No connection, or it broke. */
  'unreachable',
  /** Not https, or an address outside of the public internet. */
  'not-public',
  /** A redirect to another host. */
  'redirected',
  /** 401 or 403: a key or sign-in is missing, or no longer valid. */
  'unauthorized',
  /** The server answered with an error. */
  'refused',
  /** Not a valid MCP server, or not a valid answer. */
  'invalid',
  'too-large',
  'too-slow',
  /** The function itself did not answer. */
  'unavailable',
] as const;
export type ToolServerFailure = (typeof FAILURE_REASONS)[number];

export const toolClientResponseSchema = v.variant('kind', [
  v.object({
    kind: v.literal('listed'),
    tools: v.pipe(v.array(serverToolSchema), v.maxLength(MAX_LISTED_TOOLS)),
  }),
  /** `isError`: the tool ran, or tried to, and says that it failed. `isRefused`: the server says that the call is invalid, so it did not run. */
  v.object({
    kind: v.literal('called'),
    text: text(MAX_RESULT_LENGTH),
    isError: v.boolean(),
    isRefused: v.optional(v.literal(true)),
  }),
  v.object({ kind: v.literal('authorizing'), authorizationUrl: url, session }),
  v.object({
    kind: v.literal('authorized'),
    accessToken: encrypted,
    refreshToken: v.optional(encrypted),
    /** Seconds until the access token expires, if the server says. */
    expiresIn: v.optional(v.number()),
    session,
  }),
  /** The page, and its address after redirects. `text` is empty if it is no text. */
  v.object({ kind: v.literal('page'), url, title: text(MAX_PAGE_TITLE_LENGTH), text: text(MAX_PAGE_LENGTH) }),
  /** A PDF at the address of a page, as base64. The worker reads it, in a thread with limits on memory and time. */
  v.object({
    kind: v.literal('pdf'),
    url,
    // Not checked by a pattern: the stack does not hold one of megabytes.
    content: text(Math.ceil(MAX_PAGE_PDF_BYTES / 3) * 4),
  }),
  /** A receiver of webhooks responded. */
  v.object({ kind: v.literal('delivered'), status: v.number() }),
  /** `mayHaveRun`: the call may have reached the tool, so it must not be repeated. */
  v.object({ kind: v.literal('failed'), reason: v.picklist(FAILURE_REASONS), mayHaveRun: v.boolean() }),
]);
export type ToolClientResponse = v.InferOutput<typeof toolClientResponseSchema>;
