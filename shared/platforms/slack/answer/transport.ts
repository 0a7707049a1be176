import type { TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import {
  type AnswerMessage,
  type Lookup,
  type MessageContent,
  type NativeStreams,
  setShown,
  type Transport,
  type TransportRules,
} from '../../live-answer/index.ts';
import type { TextLimit } from '../../markdown/index.ts';
import type { CallFailure } from '../../index.ts';
import { SlackApiError } from '../api/call.ts';
import { failureOf, isPermanent } from '../api/errors.ts';
import { bodyOf, replacementOf } from '../blocks/answer-blocks.ts';
import { undefinedIfRateLimited } from '../lookup/history-limit.ts';
import type { Messages } from '../posts/messages.ts';
import type { OrphanedMessage } from './orphaned-messages.ts';
import { closeStream } from './close-stream.ts';
import { renderPlainer, StreamRefusals } from './refused-message.ts';
import { type SlackLayout, SlackRendering } from './rendering.ts';
import { cardsBeside, fittedCard, refusedLimit, sizeOfCards, taskChunk } from './task-cards.ts';

/** In bytes of UTF-8. */
const MIN_LIMIT = 1_000;

export type SlackTransportDeps = {
  readonly turn: TurnRef;
  readonly messages: Messages;
  readonly limit: TextLimit;
  readonly locale: Promise<Locale> | undefined;
  /** Messages that may be of this answer. */
  readonly find: () => Promise<readonly OrphanedMessage[]>;
};

/** Shows the messages of one answer in Slack: native streams where Slack allows them, posts and edits elsewhere. */
export class SlackTransport implements Transport<SlackLayout> {
  readonly rules: TransportRules<SlackLayout>;
  readonly streams: NativeStreams<SlackLayout>;
  readonly #deps: SlackTransportDeps;
  readonly #rendering: SlackRendering;

  constructor(deps: SlackTransportDeps) {
    this.#deps = deps;
    this.#rendering = new SlackRendering(deps.turn, deps.limit, deps.locale);
    const refusals = new StreamRefusals();
    this.rules = rulesOf(this.#rendering, refusals);
    this.streams = streamsOf(deps, this.#rendering, refusals);
  }

  async post(message: AnswerMessage, content: MessageContent<SlackLayout>): Promise<void> {
    const rendered = await this.#rendering.render(content);
    message.id = await this.#deps.messages.post(message.index, bodyOf(rendered, this.#rendering.tables));
    setShown(message, rendered.text, this.#rendering.frameOf(rendered));
    message.isStreaming = false;
  }

  async edit(
    message: AnswerMessage,
    id: NonNullable<AnswerMessage['id']>,
    content: MessageContent<SlackLayout>,
  ): Promise<void> {
    message.shown = undefined;
    const rendered = await this.#rendering.render(content);
    const { tables, hasBlocks } = this.#rendering;
    const body = hasBlocks ? replacementOf(rendered, tables) : bodyOf(rendered, tables);
    await this.#deps.messages.update(id, message.index, body);
    setShown(message, rendered.text, this.#rendering.frameOf(rendered));
  }

  async delete(id: NonNullable<AnswerMessage['id']>): Promise<void> {
    await this.#deps.messages.remove(id).catch((error: unknown) => {
      if (!(error instanceof SlackApiError) || error.code !== 'message_not_found') throw error;
    });
  }

  /** A stream has no metadata until it is closed. It is taken for this answer only if it began late enough: a thread has one answer at a time. */
  async find({ index, known, since }: Lookup) {
    const orphans = (await undefinedIfRateLimited(this.#deps.find)) ?? [];
    const unknown = orphans.filter(({ id }) => !known.has(id));
    const orphan =
      unknown.find(({ part }) => part === index) ??
      unknown.find(({ id, part }) => part === undefined && Number(id) * 1_000 >= since);
    return orphan && { id: orphan.id, isStreaming: orphan.part === undefined };
  }
}

function rulesOf(rendering: SlackRendering, refusals: StreamRefusals): TransportRules<SlackLayout> {
  return {
    platform: 'slack',
    minLimit: MIN_LIMIT,
    prepare: () => undefined,
    layOut: (content) => rendering.layOut(content),
    shows: (message, content) => rendering.shows(message, rendering.contentOf(content)),
    fitStep: fittedCard,
    failureOf,
    isRepeatable: () => false,
    recover: async (error, message, content) => {
      const failure = failureOf(error);
      if (failure.kind !== 'refused') return 'retry';
      const { code } = failure;
      if (renderPlainer(code, message, rendering.contentOf(content), rendering)) return 'retry';
      return refusals.recover(code, error, message);
    },
  };
}

function streamsOf(
  { turn, messages }: Pick<SlackTransportDeps, 'turn' | 'messages'>,
  rendering: SlackRendering,
  refusals: StreamRefusals,
): NativeStreams<SlackLayout> {
  return {
    isWatched: !turn.thread.channel.startsWith('D'),
    start: (words, steps) =>
      messages.start(
        words,
        steps.map((step) => taskChunk(step)),
      ),
    append: (id, words, steps, shown) =>
      messages.append(
        id,
        words,
        steps.map((step) => taskChunk(step, shown.get(step.id))),
      ),
    close: async (message, id, content) => {
      const rendered = await rendering.render(content);
      await closeStream(message, id, rendered, rendering, messages, refusals.isOverfull(message));
    },
    sizeOf: sizeOfCards,
    fit: (words, steps, shown) => cardsBeside(words, steps, shown, rendering.limit),
    lowerLimit: (words, shown) => {
      rendering.limit = refusedLimit(rendering.limit, words, shown);
    },
    meaningOf,
  };
}

function meaningOf(failure: CallFailure): 'full' | 'stopped' | 'cannot-post' | 'other' {
  if (failure.kind !== 'refused') return 'other';
  if (failure.code === 'msg_too_long') return 'full';
  if (failure.code === 'stopped_by_user') return 'stopped';
  return isPermanent(failure.code) ? 'cannot-post' : 'other';
}
