import { messageId, type TurnRef } from '../../../domain/index.ts';
import { type AnswerContent, newAnswerState, publishAnswer } from '../../live-answer/index.ts';
import { RetryTimeoutError } from '../../retry.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { SentFile } from '../api/call.ts';
import { isLocked, retryDiscord, reasonOf, refusalKind } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { idAt, listAt, textAt } from '../inbound/json-path.ts';
import { bodyOf, type Messages, nonceOf } from '../api/messages.ts';
import { DiscordTransport } from './transport.ts';
import {
  missingAmong,
  type PermissionFinder,
  type PermissionName,
  PERMISSIONS,
} from '../lookup/permissions.ts';
import { botMayWrite, isDirect, isSeen } from '../lookup/conversation-key.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

const TIMEOUT_MS = 30_000;
/** How far back an answer is looked for that an earlier attempt has sent. */
const PAGE = 50;
const MAX_MESSAGES = 5;

export type DirectDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId' | 'log' | 'mostMessages'> & {
  readonly where: AnswerChannel;
  readonly permissions: PermissionFinder;
};

type Refused = { readonly turn: TurnRef; readonly locale: Locale; readonly error: unknown };

/**
 * Shows an answer to whoever asked, in a direct message, where the bot may not write in the place of the question: with what it
 * lacks there, as far as that can be told. Sent again, it stands there once. What is lacking is logged in any case. Never rejects.
 */
export async function answerDirectly(
  deps: DirectDeps,
  { turn, locale, error }: Refused,
  content: AnswerContent,
): Promise<void> {
  const { time, log, mostMessages = MAX_MESSAGES } = deps;
  const { at, missing } = await lackingAt(deps, turn, error);
  const place = `<#${at}>`;
  const reason = isLocked(error) ? 'locked' : missing.length > 0 ? 'forbidden' : 'unknown';
  const permissions = missing.join(', ');
  const why = localize(locale, `answers.discord.direct.${reason}`, {
    place,
    permissions,
    link: linkOf(turn, at),
  });
  const facts = { channel: at, reason: reasonOf(error), missing: permissions };
  try {
    const messages = await directMessages(deps, turn, { locale, quote: `${why}\n` });
    const transport = new DiscordTransport({
      turn,
      maxMessages: mostMessages,
      open: async () => messages,
      find: async () => [],
      sendFiles: async () => false,
    });
    await transport.rules.prepare();
    const retry = { time, deadline: time.now() + TIMEOUT_MS };
    const actions = content.actions && { ...content.actions, buttons: [] };
    await publishAnswer({ ...content, actions }, { answer: newAnswerState(), transport, retry, log });
    log?.('discord.forbidden', { ...facts, answered: 'direct-message' });
  } catch (failure) {
    log?.('discord.forbidden', { ...facts, answered: 'nowhere', direct: whyNot(failure) });
  }
}

const whyNot = (failure: unknown): string =>
  reasonOf(failure instanceof RetryTimeoutError ? failure.cause : failure);

/**
 * Sends the files of an answer to whoever asked, in a direct message; whether that was done. Rejects with `error` where the bot is
 * known to lack more than the right to attach files: there it may not write at all.
 */
export async function sendFilesDirectly(
  deps: DirectDeps,
  { turn, locale, error }: Refused,
  files: readonly SentFile[],
): Promise<boolean> {
  const { at, missing: more } = await lackingAt(deps, turn, error);
  if (more.length > 0) throw error;
  const missing = PERMISSIONS.AttachFiles.name;
  const facts = { channel: at, reason: 'files', missing };
  try {
    const messages = await directMessages(deps, turn, { locale, quote: '' });
    const content = localize(locale, 'answers.discord.files.here', {
      place: `<#${at}>`,
      link: linkOf(turn, at),
    });
    const patience = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
    await retryDiscord(() => messages.post(FILES_INDEX, 0, { content, components: [], files }), patience);
    deps.log?.('discord.forbidden', { ...facts, answered: 'direct-message' });
    return true;
  } catch (failure) {
    deps.log?.('discord.forbidden', { ...facts, answered: 'nowhere', direct: whyNot(failure) });
    return false;
  }
}

/** Tells the post of files apart from those of an answer. */
const FILES_INDEX = 90;

/** Where something was refused, and the permissions that the bot lacks there to write and for `more`; none where that is unknown. */
export async function lackingAt(
  { where, permissions }: Pick<DirectDeps, 'where' | 'permissions'>,
  turn: TurnRef,
  error: unknown,
  more: readonly PermissionName[] = [],
): Promise<{ readonly at: string; readonly missing: readonly string[] }> {
  const at = await where(turn).catch(() => String(turn.thread.channel));
  if (isLocked(error)) return { at, missing: [MANAGE_THREADS] };
  if (refusalKind(error) === 'user-unreachable') return { at, missing: [] };
  const write: PermissionName = at === String(turn.thread.channel) ? 'SendMessages' : 'SendMessagesInThreads';
  return { at, missing: missingAmong(await permissions(turn.thread), [write, ...more]) };
}

/** Who has it may write in a locked thread. */
const MANAGE_THREADS = 'Manage Threads';

/** Where people find the question; of what was called there is no message. */
function linkOf({ thread, message }: TurnRef, at: string): string {
  const { workspace, channel, root } = thread;
  const called = !isSeen(thread) || !botMayWrite(thread);
  if (called || isDirect(thread)) return `https://discord.com/channels/${workspace}/${channel}`;
  return `https://discord.com/channels/${workspace}/${message === root ? channel : at}/${message}`;
}

/** The messages of an answer in a chat of the bot and whoever asked. What stands there already is not sent again. */
async function directMessages(
  { call, time, applicationId }: Pick<DirectDeps, 'call' | 'time' | 'applicationId'>,
  { asker, message }: TurnRef,
  { locale, quote }: { readonly locale: Locale; readonly quote: string },
): Promise<Messages> {
  const patience = { time, deadline: time.now() + TIMEOUT_MS };
  const opening = { method: 'POST', path: '/users/@me/channels', body: { recipient_id: asker } } as const;
  const path = `/channels/${idAt(await retryDiscord(() => call(opening), patience), 'id') ?? ''}/messages`;
  const sent = await retryDiscord(() => call({ method: 'GET', path: `${path}?limit=${PAGE}` }), patience);
  const earlier = listAt({ sent }, 'sent').filter((one) => idAt(one, 'author', 'id') === applicationId);
  return {
    locale,
    quote,
    post: async (index, nth, body) => {
      const same = earlier.find((one) => textAt(one, 'content')?.trim() === body.content.trim());
      const nonce = { nonce: nonceOf(message, index, nth), enforce_nonce: true };
      const shown = bodyOf(body);
      const made =
        same ?? (await call({ method: 'POST', path, ...shown, body: { ...shown.body, ...nonce } }));
      const id = idAt(made, 'id');
      if (id === undefined) throw new Error('Discord named no message');
      return { id: messageId(id), content: body.content };
    },
    edit: async (id, body) => void (await call({ method: 'PATCH', path: `${path}/${id}`, ...bodyOf(body) })),
    remove: async (id) => void (await call({ method: 'DELETE', path: `${path}/${id}` })),
    repeatable: () => true,
  };
}
