import * as z from 'zod/mini';
import type { Attachment } from '../../conversation/index.ts';
import { FileRefused } from '../platform.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { download } from './download.ts';
import { persist } from './patience.ts';

const ORIGINS = ['https://files.slack.com'];
const TIMEOUT_MS = 20_000;
const ASK_WITHIN_MS = 8_000;
const LONGEST_NAME = 80;

const text = z.nullish(z.string());
const info = z.object({
  file: z.object({
    name: text,
    mimetype: text,
    mode: text,
    size: z.nullish(z.number()),
    is_external: z.nullish(z.boolean()),
    url_private: text,
    url_private_download: text,
  }),
});
type Found = z.infer<typeof info>['file'];

/**
 * Where the files of a workspace lie: at the hosts that are named, or else by where its Web API is: elsewhere than at
 * Slack, in the same place.
 */
export function filesOrigins(slackApiUrl: string, hosts: readonly string[] = []): string[] {
  const { origin, hostname, host } = new URL(slackApiUrl);
  if (hosts.length > 0) return hosts.map((named) => (named === host ? origin : `https://${named}`));
  if (hostname === 'slack.com' || hostname === 'www.slack.com') return ORIGINS;
  if (hostname === 'slack-gov.com') return ['https://files.slack-gov.com'];
  return [origin];
}

/**
 * The content of a file: asks Slack where it lies (in shared channels the event does not say), and fetches it from
 * there. Rejects with FileRefused, whose sentence is for people, and says what to do.
 */
export async function fetchFile(
  { call, time, files, log }: Pick<SlackDeps, 'call' | 'time' | 'files' | 'log'>,
  { id, name }: Attachment,
  mostBytes: number,
): Promise<Uint8Array> {
  const called = nameIn(name);
  if (!files) throw new FileRefused('Files cannot be read here.');
  const patience = { time, deadline: time.now() + ASK_WITHIN_MS };
  const found = await persist(
    async () => info.parse(await call('files.info', { file: id })).file,
    patience,
  ).catch((error: unknown) => {
    log?.('slack.file_unknown', { reason: error instanceof SlackRefused ? error.code : 'no answer' });
    throw new FileRefused(sentence(error, called));
  });
  const { size, mimetype } = found;
  if (size === 0) throw new FileRefused(`${called} is empty.`);
  if (size && size > mostBytes) throw new FileRefused(tooLarge(called, mostBytes));
  const outcome = await download(addressOf(found, called), {
    token: await files.token(),
    origins: files.origins ?? ORIGINS,
    timeoutMs: files.timeoutMs ?? TIMEOUT_MS,
    mostBytes,
    page: mimetype === 'text/html' && size ? size : undefined,
  });
  if (outcome.kind === 'content') return outcome.bytes;
  log?.('slack.file_refused', { reason: outcome.kind });
  throw new FileRefused(SENTENCES[outcome.kind](called, mostBytes));
}

function addressOf({ mode, is_external, url_private, url_private_download }: Found, called: string): string {
  if (mode === 'tombstone') throw new FileRefused(gone(called));
  if (mode === 'hidden_by_limit')
    throw new FileRefused(`${called} is hidden: the workspace is over its limit of files. Send it again.`);
  if (is_external || mode === 'external')
    throw new FileRefused(
      `${called} is a link to another service, where I cannot look. Upload the file itself.`,
    );
  const address = url_private_download || url_private;
  if (!address) throw new FileRefused(`Slack does not say where ${called} lies. Send it once more.`);
  return address;
}

const gone = (called: string): string => `${called} is not there any more.`;

const tooLarge = (called: string, mostBytes: number): string =>
  `${called} is too large: I can read files of up to ${inMegabytes(mostBytes)}.`;

const forbidden = (called: string): string =>
  `Slack does not let me read ${called}: the app lacks the \`files:read\` scope. Whoever looks after the app in this ` +
  'workspace can add it under “OAuth & Permissions” and install the app again.';

const SENTENCES = {
  login: forbidden,
  'too-large': tooLarge,
  empty: (called: string) => `${called} is empty.`,
  gone: gone,
  elsewhere: (called: string) => `${called} does not lie with Slack’s own files, where alone I look for it.`,
  'no-answer': (called: string) => `Slack did not hand out ${called} in time. Try once more in a moment.`,
} as const;

function sentence(error: unknown, called: string): string {
  const code = error instanceof SlackRefused ? error.code : '';
  if (code === 'missing_scope' || code === 'no_permission') return forbidden(called);
  if (code === 'file_not_found' || code === 'file_deleted') return gone(called);
  if (code === 'access_denied' || code === 'not_visible')
    return `${called} is not shared with me. Share it in this conversation.`;
  return SENTENCES['no-answer'](called);
}

/** The name in a sentence. It comes from a person, so what could end the quotation is left out. */
function nameIn(name: string): string {
  const clean = name.replace(/[\s“”`*_~<>|[\]]+/g, ' ').trim();
  if (clean === '') return 'The file';
  const short = clean.length > LONGEST_NAME ? `${clean.slice(0, LONGEST_NAME).toWellFormed()}…` : clean;
  return `“${short}”`;
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return megabytes >= 1 ? `${Math.floor(megabytes)} MB` : `${Math.floor(bytes / 1024)} KB`;
}
