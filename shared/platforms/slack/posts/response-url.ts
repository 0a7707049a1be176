import { truncateText, errorName } from '../../../utils/index.ts';
import type { KnownBlock, MarkdownBlock, SectionBlock } from '@slack/types';
import * as v from 'valibot';
import { readBoundedBody } from '../../index.ts';
import { ReplyRefusedError } from '../../ports/index.ts';
import { split, type TextLimit } from '../../markdown/index.ts';
import { MRKDWN_CHARACTERS, toMrkdwn } from '../blocks/mrkdwn.ts';
import { REPLACE } from '../blocks/surfaces.ts';

const TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_SECTION_LENGTH = 3_000;
/** Escaping makes some characters longer, and so may the address of a link. */
const SECTION_LIMIT: TextLimit = { max: MAX_SECTION_LENGTH - 100, unit: MRKDWN_CHARACTERS };
const MAX_BLOCKS = 50;
const MAX_TEXT_LENGTH = 40_000;
const SLACK_HOOKS = 'https://hooks.slack.com';
const GOV_SLACK_HOOKS = 'https://hooks.slack-gov.com';

/** A message for a `response_url`. Ephemeral unless `response_type` says otherwise. */
export type ResponseMessage = {
  readonly text: string;
  readonly blocks?: readonly KnownBlock[];
  readonly response_type?: 'ephemeral' | 'in_channel';
  readonly thread_ts?: string;
  readonly unfurl_links?: boolean;
  readonly unfurl_media?: boolean;
};

/** Sends a message to the `response_url` of an interaction. Rejects with ResponseUrlError or ReplyRefusedError when Slack does not accept it. */
export type RespondToUrl = (responseUrl: string, message: ResponseMessage) => Promise<void>;

/** Slack did not accept a message at a `response_url`, or the outcome is unknown. The URL is a secret, so it is never part of the error. */
export class ResponseUrlError extends Error {
  override readonly name = 'ResponseUrlError';
}

/** Slack refused the content of the message. Nothing was shown. */
class ContentRefusedError extends ResponseUrlError {}

/** The `response_url` accepts no more messages. */
class ResponseUrlExpiredError extends ReplyRefusedError {
  override readonly name = 'ResponseUrlExpiredError';
}

/** The origins of response URLs that belong to `slackApiUrl`. A proxy or test server may pass on Slack's own URLs. */
export function hookOrigins(slackApiUrl: string): string[] {
  const { origin, hostname } = new URL(slackApiUrl);
  if (/^(?:www\.)?slack\.com$/.test(hostname)) return [SLACK_HOOKS];
  if (/^(?:www\.)?slack-gov\.com$/.test(hostname)) return [GOV_SLACK_HOOKS];
  return [origin, SLACK_HOOKS, GOV_SLACK_HOOKS];
}

/**
 * Creates the client for response URLs of the Slack at `slackApiUrl`. URLs of other hosts are refused. If Slack refuses Markdown
 * blocks there (incoming webhooks respond with an empty 500: gofish-graphics#602, slackapi/slack-github-action#440), the
 * message is sent with sections, and if those are refused too, as text alone.
 */
export function createResponseUrlClient(slackApiUrl: string): RespondToUrl {
  const origins = new Set(hookOrigins(slackApiUrl));
  let acceptsMarkdown = true;
  return async (responseUrl, message) => {
    const url = URL.parse(responseUrl);
    if (!url || !origins.has(url.origin)) throw new ResponseUrlExpiredError('the URL is not one of Slack');
    const isReplacement = url.hash === REPLACE;
    url.hash = '';
    const send = (content: ResponseMessage): Promise<void> =>
      post(url, { response_type: 'ephemeral', replace_original: isReplacement, ...content });
    const { blocks = [], ...textOnly } = message;
    if (!blocks.some(isMarkdown)) return send(message);
    const withSections = { ...message, blocks: blocks.flatMap(asSections).slice(0, MAX_BLOCKS) };
    for (const content of acceptsMarkdown ? [message, withSections] : [withSections]) {
      if (!(await isAccepted(send(content)))) continue;
      acceptsMarkdown = content === message;
      return;
    }
    await send({ ...textOnly, text: toPlainText(blocks) });
  };
}

/** Whether Slack accepted the message; false if it refused the content. Rejects for other failures. */
async function isAccepted(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    if (error instanceof ContentRefusedError) return false;
    throw error;
  }
}

/** The rate limit, and gateways before Slack. They say nothing of the content; a gateway may even have passed it on. */
const TEMPORARY_STATUSES = new Set([429, 502, 503, 504]);

/** Errors that mean that the URL itself is no longer valid. */
const EXPIRED = new Set(['expired_url', 'used_url', 'no_service', 'channel_is_archived']);

async function post(url: URL, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new ResponseUrlError(`no answer: ${errorName(error)}`);
  });
  const { status, ok } = response;
  const refusal = await readRefusal(response);
  if (ok && refusal === undefined) return;
  const reason = refusal ?? `status ${status}`;
  if (status === 404 || EXPIRED.has(reason)) throw new ResponseUrlExpiredError(reason);
  if (TEMPORARY_STATUSES.has(status)) throw new ResponseUrlError(reason);
  throw new ContentRefusedError(reason);
}

/** An error code of Slack, such as `invalid_blocks`. */
const code = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,79}$/i));
const refusalSchema = v.object({ ok: v.literal(false), error: v.optional(code, 'refused') });

/**
 * Reads Slack's error code from a response of any status: from JSON, or from a body that is the code alone, as incoming webhooks send it
 * (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). Undefined if there is none; the body is then `ok`.
 */
async function readRefusal(response: Response): Promise<string | undefined> {
  const bytes = await readBoundedBody(response, MAX_RESPONSE_BYTES).catch(() => undefined);
  const body = Buffer.from(bytes ?? [])
    .toString('utf8')
    .trim();
  try {
    const { success, output } = v.safeParse(refusalSchema, JSON.parse(body));
    return success ? output.error : undefined;
  } catch {
    return v.is(code, body) && body.toLowerCase() !== 'ok' ? body : undefined;
  }
}

const isMarkdown = (block: KnownBlock): block is MarkdownBlock => block.type === 'markdown';

/** Renders a Markdown block as sections of mrkdwn. It is divided before it is converted: only Markdown has the rules for that. */
function asSections(block: KnownBlock): KnownBlock[] {
  if (!isMarkdown(block)) return [block];
  return split(block.text, SECTION_LIMIT).flatMap((part): SectionBlock[] => {
    const text = truncateText(toMrkdwn(part.replace(/^\n+/, '').trimEnd()), MAX_SECTION_LENGTH);
    return text === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text } }];
  });
}

const toPlainText = (blocks: readonly KnownBlock[]): string => {
  const markdown = blocks.filter(isMarkdown).map(({ text }) => text);
  return truncateText(toMrkdwn(markdown.join('\n\n')), MAX_TEXT_LENGTH);
};
