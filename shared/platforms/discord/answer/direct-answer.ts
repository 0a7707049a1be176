import { messageId, type TurnRef } from '../../../domain/index.ts';
import { type AnswerContent, createAnswerState, publishAnswer } from '../../live-answer/index.ts';
import { RetryTimeoutError } from '../../index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { SentFile } from '../api/call.ts';
import { isLocked, retryDiscord, getErrorReason } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { readId, readList, readString } from '../api/json-path.ts';
import { requestBody, type Messages, getMessageNonce } from '../posts/messages.ts';
import { DiscordTransport } from './transport.ts';
import { PERMISSIONS } from '../lookup/permissions.ts';
import { botMayWrite, isDirect, hasRootMessage } from '../inbound/conversation-key.ts';
import { type MissingPermissionDeps, findMissingPermissions } from '../posts/missing-permissions.ts';

const TIMEOUT_MS = 30_000;
/** How many of the latest messages are searched for messages of an earlier attempt. */
const PAGE_SIZE = 50;
const MAX_MESSAGES = 5;

type DirectDeps = Pick<DiscordDeps, 'call' | 'time' | 'applicationId' | 'log' | 'maxMessages'> &
  MissingPermissionDeps;

type Refused = { readonly turn: TurnRef; readonly locale: Locale; readonly error: unknown };

/**
 * Sends an answer to the asker in a direct message, where the bot may not write in the channel of the question, and names the
 * permissions that it lacks there, if they are known. Safe to repeat. Logs the missing permissions. Never rejects.
 */
export async function answerDirectly(
  deps: DirectDeps,
  { turn, locale, error }: Refused,
  content: AnswerContent,
): Promise<void> {
  const { time, log, maxMessages = MAX_MESSAGES } = deps;
  const { at, missing } = await findMissingPermissions(deps, turn, error);
  const reason = isLocked(error) ? 'locked' : missing.length > 0 ? 'forbidden' : 'unknown';
  const permissions = missing.join(', ');
  const explanation = localize(locale, `answers.discord.direct.${reason}`, {
    place: `<#${at}>`,
    permissions,
    link: buildLink(turn, at),
  });
  const facts = { channel: at, reason: getErrorReason(error), missing: permissions };
  try {
    const messages = await directMessages(deps, turn, { locale, quote: `${explanation}\n` });
    const transport = new DiscordTransport({
      turn,
      maxMessages,
      open: async () => messages,
      find: async () => [],
      sendFiles: async () => false,
    });
    await transport.rules.prepare();
    const retry = { time, deadline: time.now() + TIMEOUT_MS };
    const actions = content.actions && { ...content.actions, buttons: [] };
    await publishAnswer({ ...content, actions }, { answer: createAnswerState(), transport, retry, log });
    log?.('discord.forbidden', { ...facts, answered: 'direct-message' });
  } catch (failure) {
    log?.('discord.forbidden', { ...facts, answered: 'nowhere', direct: directFailure(failure) });
  }
}

const directFailure = (failure: unknown): string =>
  getErrorReason(failure instanceof RetryTimeoutError ? failure.cause : failure);

/**
 * Sends the files of an answer to the asker in a direct message. Resolves with whether they were sent. Rejects with `error` where
 * the bot is known to lack more than the permission to attach files: there it may not write at all.
 */
export async function sendFilesDirectly(
  deps: DirectDeps,
  { turn, locale, error }: Refused,
  files: readonly SentFile[],
): Promise<boolean> {
  const { at, missing: others } = await findMissingPermissions(deps, turn, error);
  if (others.length > 0) throw error;
  const missing = PERMISSIONS.AttachFiles.name;
  const facts = { channel: at, reason: 'files', missing };
  try {
    const messages = await directMessages(deps, turn, { locale, quote: '' });
    const content = localize(locale, 'answers.discord.files.here', {
      place: `<#${at}>`,
      link: buildLink(turn, at),
    });
    const retry = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
    await retryDiscord(() => messages.post(FILES_INDEX, 0, { content, components: [], files }), retry);
    deps.log?.('discord.forbidden', { ...facts, answered: 'direct-message' });
    return true;
  } catch (failure) {
    deps.log?.('discord.forbidden', { ...facts, answered: 'nowhere', direct: directFailure(failure) });
    return false;
  }
}

/** The index of a message with files: no message of an answer has it. */
const FILES_INDEX = 90;

/**
 * The address of the question. An interaction has no message: its channel then. The first message of a thread is in the thread too,
 * and that of a forum post is nowhere else.
 */
function buildLink({ thread, message }: TurnRef, at: string): string {
  const { workspace, channel } = thread;
  const isInteraction = !hasRootMessage(thread) || !botMayWrite(thread);
  if (isInteraction || isDirect(thread)) return `https://discord.com/channels/${workspace}/${channel}`;
  return `https://discord.com/channels/${workspace}/${at}/${message}`;
}

/** Sends messages in the direct chat with the asker. A message that is there already is not sent again. */
async function directMessages(
  { call, time, applicationId }: Pick<DirectDeps, 'call' | 'time' | 'applicationId'>,
  { asker, message }: TurnRef,
  { locale, quote }: { readonly locale: Locale; readonly quote: string },
): Promise<Messages> {
  const retry = { time, deadline: time.now() + TIMEOUT_MS };
  const opening = { method: 'POST', path: '/users/@me/channels', body: { recipient_id: asker } } as const;
  const path = `/channels/${readId(await retryDiscord(() => call(opening), retry), 'id') ?? ''}/messages`;
  const sent = await retryDiscord(() => call({ method: 'GET', path: `${path}?limit=${PAGE_SIZE}` }), retry);
  const earlier = readList({ sent }, 'sent').filter((one) => readId(one, 'author', 'id') === applicationId);
  return {
    locale,
    quote,
    post: async (index, nth, body) => {
      const sentBefore = earlier.find((one) => readString(one, 'content')?.trim() === body.content.trim());
      const nonce = { nonce: getMessageNonce(message, index, nth), enforce_nonce: true };
      const request = requestBody(body);
      const response =
        sentBefore ?? (await call({ method: 'POST', path, ...request, body: { ...request.body, ...nonce } }));
      const id = readId(response, 'id');
      if (id === undefined) throw new Error('Discord named no message');
      return { id: messageId(id), content: body.content };
    },
    edit: async (id, body) =>
      void (await call({ method: 'PATCH', path: `${path}/${id}`, ...requestBody(body) })),
    remove: async (id) => void (await call({ method: 'DELETE', path: `${path}/${id}` })),
    isRepeatable: () => true,
  };
}
