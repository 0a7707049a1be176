import {
  type Interaction,
  type MessageId,
  messageId,
  NO_GUILD,
  type Thread,
  type TurnRef,
  userId,
  isModalRequest,
} from '../../../domain/index.ts';
import { RetryTimeoutError } from '../../index.ts';
import { CannotPostError, ReplyRefusedError, type Messenger } from '../../ports/index.ts';
import { DiscordApiError, type DiscordRequest } from '../api/call.ts';
import { hasCode, isClosed, retryDiscord, reasonOf, refusalKind } from '../api/errors.ts';
import { cardRequest, sendCard } from './card-request.ts';
import { RESPOND_MESSAGE, NO_MENTIONS } from '../api/enums.ts';
import { CARD_FLAG, renderCard } from '../blocks/card-components.ts';
import type { DiscordDeps } from '../deps.ts';
import { type MissingPermissionDeps, missingPermissions } from './missing-permissions.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { idAt } from '../api/json-path.ts';
import { permissionFinder, type PermissionName } from '../lookup/permissions.ts';
import { botMayWrite, threadIn } from '../inbound/conversation-key.ts';
import { commandMentionFinder } from '../lookup/command-mentions.ts';
import { EPHEMERAL, modalResponse, type Response } from '../inbound/responses.ts';
import { sendPrivateFile } from '../files/send-private-file.ts';
import { uploader } from '../files/upload.ts';
import { nonceFor } from '../api/nonce.ts';
import { unarchiveThread } from './unarchive-thread.ts';
import { answerChannelFinder } from './answer-channel.ts';

const TIMEOUT_MS = 30_000;

/** Cards, files and answers to calls on Discord. */
export function createDiscordMessenger(given: DiscordDeps): Messenger {
  const deps = { ...given, call: unarchiveThread(given.call) };
  const { call, time } = deps;
  const permissions = permissionFinder(deps);
  const where = answerChannelFinder({ ...deps, permissions });
  const { allowed, lacking } = refusals({ ...deps, where, permissions });
  const steady = <T>(make: () => Promise<T>): Promise<T> =>
    retryDiscord(make, { time, deadline: time.now() + TIMEOUT_MS });
  const channelOf = (thread: Thread): Promise<string> => {
    if (!botMayWrite(thread))
      return Promise.reject(new RetryTimeoutError('the bot cannot write there by itself'));
    return where(turnIn(thread));
  };
  const made = async (request: DiscordRequest): Promise<MessageId> => {
    const id = idAt(await steady(() => call(request)), 'id');
    if (id === undefined) throw new RetryTimeoutError('Discord named no message');
    return messageId(id);
  };
  const first = firstAnswer(call);

  return {
    // Discord shows that a response is pending by itself.
    showWorking: () => Promise.resolve(),
    commandMentions: commandMentionFinder(deps),
    postCard: async (thread, card, key, existing) => {
      const path = `/channels/${await steady(() => channelOf(thread))}/messages`;
      return allowed(thread, () => sendCard(cardRequest(card), { path, key, existing }, made));
    },
    removeCard: async (thread, existing) => {
      const path = `/channels/${await steady(() => channelOf(thread))}/messages/${existing}`;
      await steady(() => call({ method: 'DELETE', path })).catch((error: unknown) => {
        if (refusalKind(error) !== 'message-not-found') throw error;
      });
    },
    respond: responder(deps, made, first),
    getPermalink: async (thread, message) => {
      return `https://discord.com/channels/${thread.workspace}/${await steady(() => channelOf(thread))}/${message}`;
    },
    sendFilePrivately: sendPrivateFile({ ...deps, made }),
    sendDirectMessage: async (_, user, card) => {
      const body = { recipient_id: user };
      const dm = await made({ method: 'POST', path: '/users/@me/channels', body });
      const shown = { components: renderCard(card), flags: CARD_FLAG, allowed_mentions: NO_MENTIONS };
      // Without a key of the caller, equal cards within minutes are one message: a retry must not post a second one.
      const nonce = nonceFor(`${user} ${JSON.stringify(shown.components)}`);
      await made({ method: 'POST', path: `/channels/${dm}/messages`, body: { ...shown, ...nonce } });
    },
    openModal: (invocation, form) => first(invocation, modalResponse(form)),
    startThread: (invocation, card) => begin(invocation, renderCard(card), made),
    ...uploader({
      ...deps,
      channelOf,
      made,
      steady,
      allowed,
      lacking: (thread, error) => lacking(thread, error, ['AttachFiles']),
    }),
  };
}

/** The first answer to a call, which the front left to us. Not tried again: a second one would be refused. */
const firstAnswer =
  (call: DiscordDeps['call']) =>
  async ({ id, ticket }: Interaction, response: Response): Promise<void> => {
    const path = `/interactions/${id}/${ticket}/callback`;
    await call({ method: 'POST', path, body: { ...response }, byInteractionToken: true });
  };

type Refusals = {
  /** Does something in a thread; where the bot may not, it is refused for good, and what is lacking is logged. */
  readonly allowed: <T>(thread: Thread, make: () => Promise<T>) => Promise<T>;
  /** The permissions that the bot lacks there to write and for these, by their names in Discord. Never rejects. */
  readonly lacking: (thread: Thread, error: unknown, more?: readonly PermissionName[]) => Promise<string>;
};

function refusals({ log, ...deps }: Pick<DiscordDeps, 'log'> & MissingPermissionDeps): Refusals {
  const lacking: Refusals['lacking'] = async (thread, error, more = []) => {
    const { at, missing } = await missingPermissions(deps, turnIn(thread), error, more);
    const facts = { channel: at, reason: reasonOf(error), missing: missing.join(', ') };
    log?.('discord.forbidden', { ...facts, answered: 'nowhere' });
    return facts.missing;
  };
  return {
    lacking,
    allowed: async (thread, make) => {
      try {
        return await make();
      } catch (error) {
        if (!isClosed(error)) throw error;
        await lacking(thread, error);
        throw new CannotPostError('the bot may not write there', { cause: error });
      }
    },
  };
}

/** A turn that stands for its thread. */
const turnIn = (thread: Thread): TurnRef => ({
  thread,
  message: messageId('0'),
  asker: userId('0'),
  askerWorkspace: thread.workspace,
});

/** Answers a call, for who called alone unless `openly`. */
function responder(
  { time, applicationId }: Pick<DiscordDeps, 'time' | 'applicationId'>,
  made: (request: DiscordRequest) => Promise<MessageId>,
  first: (invocation: Interaction, response: Response) => Promise<void>,
): Messenger['respond'] {
  return async (invocation, card, openly = false) => {
    const { call: called, ticket, until, deferred = false } = invocation;
    const { kind } = called;
    if (time.now() >= until) throw new ReplyRefusedError('the ticket has run out');
    const path = `/webhooks/${applicationId}/${ticket}`;
    const body = { components: renderCard(card), allowed_mentions: NO_MENTIONS };
    const flags = CARD_FLAG | (openly ? 0 : EPHEMERAL);
    // What was to open a form has had no answer yet.
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a set of flags
    if (isModalRequest(called)) return first(invocation, { type: RESPOND_MESSAGE, data: { ...body, flags } });
    // A command was deferred, and waits for its answer; so was a control whose work takes long. Any other stands on a message
    // that has one.
    const request: DiscordRequest =
      kind === 'action' && !deferred
        ? { method: 'POST', path: `${path}?wait=true`, body: { ...body, flags }, byInteractionToken: true }
        : {
            method: 'PATCH',
            path: `${path}/messages/@original`,
            body: { ...body, flags: CARD_FLAG },
            byInteractionToken: true,
          };
    // We may be quicker than Discord, which takes the deferral in a moment after it was answered.
    for (let tries = SETTLING_TRIES; ; tries -= 1) {
      const again = await made(request).then(
        () => undefined,
        (error: unknown) => {
          if (tries === 0 || !hasCode(error, ERROR_CODES.UnknownWebhook)) throw refusedForGood(error);
          return SETTLING_PAUSE_MS;
        },
      );
      if (again === undefined) return;
      await time.sleep(again);
    }
  };
}

/** What Discord refuses is no other the next time, and asked again and again it would take that for abuse. */
const refusedForGood = (error: unknown): unknown =>
  error instanceof DiscordApiError
    ? new ReplyRefusedError(`Discord refused the reply: ${reasonOf(error)}`, { cause: error })
    : error;

/** Two seconds in all. */
const SETTLING_TRIES = 8;
const SETTLING_PAUSE_MS = 250;

async function begin(
  { id, channel, workspace, by }: Interaction,
  components: readonly unknown[],
  made: (request: DiscordRequest) => Promise<MessageId>,
): Promise<TurnRef> {
  if (channel === undefined) throw new CannotPostError('there is no channel');
  const body = { components, flags: CARD_FLAG, allowed_mentions: NO_MENTIONS, ...nonceFor(id) };
  try {
    const message = await made({ method: 'POST', path: `/channels/${channel}/messages`, body });
    const guild = String(workspace) === NO_GUILD ? undefined : workspace;
    const thread = threadIn(guild, channel, guild === undefined ? channel : message);
    return { thread, message, asker: by.user, askerWorkspace: by.workspace };
  } catch (error) {
    if (!isClosed(error) && refusalKind(error) !== 'channel-not-found') throw error;
    throw new CannotPostError('the bot may not write there', { cause: error });
  }
}
