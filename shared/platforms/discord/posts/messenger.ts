import {
  type Interaction,
  type MessageId,
  messageId,
  type Thread,
  type TurnRef,
  userId,
  isModalRequest,
} from '../../../domain/index.ts';
import { RetryTimeoutError } from '../../index.ts';
import { CannotPostError, type Messenger, noCanvases, ReplyRefusedError } from '../../ports/index.ts';
import { DiscordApiError, type DiscordRequest } from '../api/call.ts';
import {
  hasCode,
  isBlockedWords,
  isClosed,
  retryDiscord,
  getErrorReason,
  getRefusalKind,
  toCannotPostError,
} from '../api/errors.ts';
import { createCardRequest, sendCard } from './card-request.ts';
import { RESPOND_MESSAGE, NO_MENTIONS } from '../api/enums.ts';
import { CARD_FLAG, renderCard } from '../blocks/card-components.ts';
import type { DiscordDeps } from '../deps.ts';
import { type MissingPermissionDeps, findMissingPermissions } from './missing-permissions.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { readId } from '../api/json-path.ts';
import { createPermissionFinder, type PermissionName } from '../lookup/permissions.ts';
import { botMayWrite } from '../inbound/conversation-key.ts';
import { createCommandMentionFinder } from '../lookup/command-mentions.ts';
import { saveLocale } from '../lookup/locale.ts';
import { EPHEMERAL, createModalResponse, type Response } from '../inbound/responses.ts';
import { sendPrivateFile } from '../files/send-private-file.ts';
import { createUploader } from '../files/upload.ts';
import { sendDirectMessage } from './direct-message.ts';
import { mayNotKnowDeferral } from './message-sender.ts';
import { startThread } from './start-thread.ts';
import { unarchiveThread } from './unarchive-thread.ts';
import { answerChannelFinder } from './answer-channel.ts';

const TIMEOUT_MS = 30_000;

/** Creates the messenger of Discord: cards, files and responses to interactions. */
export function createDiscordMessenger(platformDeps: DiscordDeps): Messenger {
  const deps = { ...platformDeps, call: unarchiveThread(platformDeps.call) };
  const { call, time } = deps;
  const permissions = createPermissionFinder(deps);
  const findChannel = answerChannelFinder({ ...deps, permissions });
  const { withPermission, reportMissingPermissions } = createPermissionChecks({
    ...deps,
    findChannel,
    permissions,
  });
  const withRetries = <T>(request: () => Promise<T>): Promise<T> =>
    retryDiscord(request, { time, deadline: time.now() + TIMEOUT_MS });
  const findBotChannel = (thread: Thread): Promise<string> =>
    botMayWrite(thread)
      ? findChannel(placeholderTurn(thread))
      : Promise.reject(new CannotPostError('the bot cannot write there without an interaction token'));
  const sendForId = async (request: DiscordRequest): Promise<MessageId> => {
    const id = readId(await withRetries(() => call(request)), 'id');
    if (id === undefined) throw new RetryTimeoutError('the response of Discord has no message id');
    return messageId(id);
  };
  const sendFirstResponse = firstResponder(call);
  const respond = createResponder(deps, sendForId, sendFirstResponse);

  return {
    // Discord shows that a response is pending by itself.
    showWorking: () => Promise.resolve(),
    commandMentions: createCommandMentionFinder(deps),
    canPost: botMayWrite,
    postCard: async (thread, card, key, existing) => {
      const path = `/channels/${await withRetries(() => findBotChannel(thread))}/messages`;
      return withPermission(thread, () =>
        sendCard(createCardRequest(card), { path, key, existing }, sendForId),
      );
    },
    removeCard: async (thread, existing) => {
      const path = `/channels/${await withRetries(() => findBotChannel(thread))}/messages/${existing}`;
      await withRetries(() => call({ method: 'DELETE', path })).catch((error: unknown) => {
        if (getRefusalKind(error) !== 'message-not-found') throw error;
      });
    },
    respond: async (interaction, card, isPublic) =>
      void (await Promise.all([respond(interaction, card, isPublic), saveLocale(deps, interaction)])),
    getPermalink: async (thread, message) => {
      return `https://discord.com/channels/${thread.workspace}/${await withRetries(() => findBotChannel(thread))}/${message}`;
    },
    sendFilePrivately: sendPrivateFile({ ...deps, sendForId }),
    sendDirectMessage: (_, user, card, key, maybePostedSince) =>
      sendDirectMessage(user, card, { key, maybePostedSince }, { ...deps, withRetries, sendForId }),
    openModal: (interaction, form) => sendFirstResponse(interaction, createModalResponse(form)),
    startThread: (origin, card) => startThread(origin, card, { ...deps, withRetries, sendForId }),
    ...noCanvases,
    ...createUploader({
      ...deps,
      channelOf: findBotChannel,
      sendForId,
      withRetries,
      withPermission,
      reportMissingPermissions: (thread, error) => reportMissingPermissions(thread, error, ['AttachFiles']),
    }),
  };
}

/**
 * Sends the first response to an interaction, which the front left to the worker. Not retried: Discord
 * rejects a second one.
 */
const firstResponder =
  (call: DiscordDeps['call']) =>
  async ({ id, responseToken }: Interaction, response: Response): Promise<void> => {
    const path = `/interactions/${id}/${responseToken}/callback`;
    await call({ method: 'POST', path, body: { ...response }, byInteractionToken: true });
  };

type PermissionChecks = {
  /** Runs a request in a thread. If the bot lacks a permission, logs which one and rejects with CannotPostError; also where a filter blocks the words. */
  readonly withPermission: <T>(thread: Thread, request: () => Promise<T>) => Promise<T>;
  /**
   * Logs and returns the permissions that the bot lacks there, to write and for `extraPermissions`, by
   * their names in Discord. Never rejects.
   */
  readonly reportMissingPermissions: (
    thread: Thread,
    error: unknown,
    extraPermissions?: readonly PermissionName[],
  ) => Promise<string>;
};

function createPermissionChecks({
  log,
  ...deps
}: Pick<DiscordDeps, 'log'> & MissingPermissionDeps): PermissionChecks {
  const reportMissingPermissions: PermissionChecks['reportMissingPermissions'] = async (
    thread,
    error,
    extraPermissions = [],
  ) => {
    const { at, missing } = await findMissingPermissions(
      deps,
      placeholderTurn(thread),
      error,
      extraPermissions,
    );
    const facts = { channel: at, reason: getErrorReason(error), missing: missing.join(', ') };
    log?.('discord.forbidden', { ...facts, answered: 'nowhere' });
    return facts.missing;
  };
  return {
    reportMissingPermissions,
    withPermission: async (thread, request) => {
      try {
        return await request();
      } catch (error) {
        if (isClosed(error)) await reportMissingPermissions(thread, error);
        else if (!isBlockedWords(error)) throw error;
        throw toCannotPostError(error);
      }
    },
  };
}

/** A turn without a question, for functions that need only its thread. */
const placeholderTurn = (thread: Thread): TurnRef => ({
  thread,
  message: messageId('0'),
  asker: userId('0'),
  askerWorkspace: thread.workspace,
});

/** Responds to an interaction, ephemerally unless `isPublic`. */
function createResponder(
  { time, applicationId }: Pick<DiscordDeps, 'time' | 'applicationId'>,
  sendForId: (request: DiscordRequest) => Promise<MessageId>,
  sendFirstResponse: (interaction: Interaction, response: Response) => Promise<void>,
): Messenger['respond'] {
  return async (interaction, card, isPublic = false) => {
    const { payload, responseToken, tokenExpiresAtMs, deferred = false } = interaction;
    const { kind } = payload;
    if (time.now() >= tokenExpiresAtMs) throw new ReplyRefusedError('the interaction token has expired');
    const path = `/webhooks/${applicationId}/${responseToken}`;
    const body = { components: renderCard(card), allowed_mentions: NO_MENTIONS };
    const flags = CARD_FLAG | (isPublic ? 0 : EPHEMERAL);
    // An interaction that should have opened a modal has no response yet.
    if (isModalRequest(payload)) {
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- a set of flags
      const response: Response = { type: RESPOND_MESSAGE, data: { ...body, flags } };
      return sendFirstResponse(interaction, response).catch((error: unknown) => {
        throw toPermanentError(error);
      });
    }
    // A command was deferred and waits for its response, and so was a control whose work takes long. Other
    // controls are on a message that already has its response.
    const request: DiscordRequest =
      kind === 'action' && !deferred
        ? { method: 'POST', path: `${path}?wait=true`, body: { ...body, flags }, byInteractionToken: true }
        : {
            method: 'PATCH',
            path: `${path}/messages/@original`,
            body: { ...body, flags: CARD_FLAG },
            byInteractionToken: true,
          };
    // Discord may learn of the deferral only after this request.
    for (let retriesLeft = MAX_DEFERRAL_RETRIES; ; retriesLeft -= 1) {
      const retryAfterMs = await sendForId(request).then(
        () => undefined,
        (error: unknown) => {
          const isUnknown =
            hasCode(error, ERROR_CODES.UnknownWebhook) ||
            // Later, the person has deleted the deferred response.
            (hasCode(error, ERROR_CODES.UnknownMessage) && mayNotKnowDeferral(tokenExpiresAtMs, time.now()));
          if (retriesLeft === 0 || !isUnknown) throw toPermanentError(error);
          return DEFERRAL_RETRY_DELAY_MS;
        },
      );
      if (retryAfterMs === undefined) return;
      await time.sleep(retryAfterMs);
    }
  };
}

/** A refusal is permanent, and Discord treats repeated requests as abuse. */
const toPermanentError = (error: unknown): unknown =>
  error instanceof DiscordApiError
    ? new ReplyRefusedError(`Discord refused the reply: ${getErrorReason(error)}`, {
        cause: error,
        why: isBlockedWords(error) ? 'words-blocked' : undefined,
      })
    : error;

/** Two seconds in total. */
const MAX_DEFERRAL_RETRIES = 8;
const DEFERRAL_RETRY_DELAY_MS = 250;
