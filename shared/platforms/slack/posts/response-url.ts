import * as v from 'valibot';
import { readBoundedBody } from '../../read-bounded-body.ts';
import { ReplyRefused } from '../../ports/platform.ts';
import { cut } from '../blocks/card-blocks.ts';
import type { Json } from '../blocks/table-block.ts';
import { toMrkdwn } from '../blocks/mrkdwn.ts';
import { REPLACE } from '../blocks/surfaces.ts';

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const SECTION_LIMIT = 3_000;
const MAX_BLOCKS = 50;
const TEXT_LIMIT = 40_000;
const SLACK_HOOKS = 'https://hooks.slack.com';
const GOV_SLACK_HOOKS = 'https://hooks.slack-gov.com';

/** Says something by the address that came with a call. Rejects when Slack does not take it. */
export type RespondToUrl = (ticket: string, body: Json) => Promise<void>;

/** Slack did not take an answer by a `response_url`, or did not say so. Its address is a secret and is not named. */
export class ResponseUrlError extends Error {
  override readonly name = 'NotAnswered';
}

/** Slack read the body and did not take it; nothing was shown. */
class BodyRefused extends ResponseUrlError {}

/** Nothing more is taken by this address. */
class AddressDead extends ReplyRefused {
  override readonly name = 'NotAnswered';
}

/** Where the Slack behind `slackApiUrl` takes answers to calls. Another Slack (a proxy, a test server) may use Slack's own addresses. */
export function hookOrigins(slackApiUrl: string): string[] {
  const { origin, hostname } = new URL(slackApiUrl);
  if (/^(?:www\.)?slack\.com$/.test(hostname)) return [SLACK_HOOKS];
  if (/^(?:www\.)?slack-gov\.com$/.test(hostname)) return [GOV_SLACK_HOOKS];
  return [origin, SLACK_HOOKS, GOV_SLACK_HOOKS];
}

/**
 * Answers calls of a Slack behind `slackApiUrl`. Addresses elsewhere are refused. Where Slack takes no Markdown blocks by
 * these addresses (incoming webhooks answer them with an empty 500: gofish-graphics#602, slackapi/slack-github-action#440),
 * they are sent as sections, and if that is refused too, as text alone.
 */
export function responseUrlClient(slackApiUrl: string): RespondToUrl {
  const origins = new Set(hookOrigins(slackApiUrl));
  let takesMarkdown = true;
  return async (ticket, body) => {
    const url = URL.parse(ticket);
    if (!url || !origins.has(url.origin)) throw new AddressDead('the address is not one of Slack');
    const replace = url.hash === REPLACE;
    url.hash = '';
    const send = (content: Json): Promise<void> =>
      post(url, { response_type: 'ephemeral', replace_original: replace, ...content });
    const blocks = v.is(blocksShape, body['blocks']) ? body['blocks'] : [];
    if (!blocks.some(isMarkdown)) return send(body);
    const sections = { ...body, blocks: blocks.flatMap(asSections).slice(0, MAX_BLOCKS) };
    const words = { ...body, blocks: undefined, text: textOf(blocks) };
    for (const content of takesMarkdown ? [body, sections] : [sections]) {
      if (!(await taken(send(content)))) continue;
      takesMarkdown = content === body;
      return;
    }
    await send(words);
  };
}

/** Whether Slack took it; false where it refused the content. Rejects for all else. */
async function taken(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    if (error instanceof BodyRefused) return false;
    throw error;
  }
}

/** The address itself is worth nothing any more. */
const DEAD = new Set(['expired_url', 'used_url', 'no_service', 'channel_is_archived']);

async function post(url: URL, body: Json): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new ResponseUrlError(`no answer: ${error instanceof Error ? error.name : 'unknown'}`);
  });
  const { status, ok } = response;
  const refusal = await refusalIn(response);
  if (ok && refusal === undefined) return;
  const reason = refusal ?? `status ${status}`;
  if (status === 404 || DEAD.has(reason)) throw new AddressDead(reason);
  if (status === 429) throw new ResponseUrlError(reason);
  throw new BodyRefused(reason);
}

/** A code as Slack's, such as `invalid_blocks`. */
const code = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,79}$/i));
const refused = v.object({ ok: v.literal(false), error: v.optional(code, 'refused') });

/**
 * What Slack says against it, whatever the status: in JSON, or as its code alone, as incoming webhooks do
 * (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). It says `ok` where it has nothing against it.
 */
async function refusalIn(response: Response): Promise<string | undefined> {
  const bytes = await readBoundedBody(response, MAX_ANSWER_BYTES).catch(() => undefined);
  const words = Buffer.from(bytes ?? [])
    .toString('utf8')
    .trim();
  try {
    const said: unknown = JSON.parse(words);
    const { success, output } = v.safeParse(refused, said);
    return success ? output.error : undefined;
  } catch {
    return v.is(code, words) && words.toLowerCase() !== 'ok' ? words : undefined;
  }
}

type Block = v.InferOutput<typeof blocksShape>[number];
const blocksShape = v.array(v.looseObject({ type: v.string() }));
const isMarkdown = ({ type }: Block): boolean => type === 'markdown';
const markdownIn = (block: Block): string => (typeof block['text'] === 'string' ? block['text'] : '');

/** A Markdown block in Slack's older markup. */
function asSections(block: Block): Block[] {
  if (!isMarkdown(block)) return [block];
  return pieces(toMrkdwn(markdownIn(block))).map((text) => ({
    type: 'section',
    text: { type: 'mrkdwn', text },
  }));
}

/** Cut where lines end, as far as that goes. */
function pieces(text: string): string[] {
  if (text.trim() === '') return [];
  if (text.length <= SECTION_LIMIT) return [text];
  const line = text.lastIndexOf('\n', SECTION_LIMIT);
  const word = line > 0 ? line : text.lastIndexOf(' ', SECTION_LIMIT);
  const to = word > 0 ? word : SECTION_LIMIT;
  return [text.slice(0, to).toWellFormed(), ...pieces(text.slice(to).trimStart())];
}

const textOf = (blocks: readonly Block[]): string =>
  cut(toMrkdwn(blocks.filter(isMarkdown).map(markdownIn).join('\n\n')), TEXT_LIMIT);
