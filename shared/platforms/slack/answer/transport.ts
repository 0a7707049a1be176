import { isIntegration, type TurnRef, type MessageId } from '../../../domain/index.ts';
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
import { classifyError, isPermanent } from '../api/errors.ts';
import { isOrganization } from '../api/payload-fields.ts';
import { renderBody, renderReplacement, type Content } from '../blocks/answer-blocks.ts';
import { readUnlessRateLimited } from '../lookup/history-limit.ts';
import type { Messages, LastMessage } from '../posts/messages.ts';
import type { OrphanedMessage } from './orphaned-messages.ts';
import {
  renderPlainer,
  StreamRefusals,
  type SlackLayout,
  SlackRendering,
  fitCardsBeside,
  fitCard,
  getRefusedLimit,
  measureCards,
  toTaskChunk,
  serializeClosing,
  showsWords,
  listOutdatedCards,
} from './rendering.ts';
import type { Step } from '../../ports/index.ts';

/** In bytes of UTF-8. */
const MIN_LIMIT = 1_000;

type SlackTransportDeps = {
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
  readonly streams: NativeStreams<SlackLayout> | undefined;
  readonly #deps: SlackTransportDeps;
  readonly #rendering: SlackRendering;

  constructor(deps: SlackTransportDeps) {
    this.#deps = deps;
    this.#rendering = new SlackRendering(deps.turn, deps.limit, deps.locale);
    const refusals = new StreamRefusals();
    this.rules = createRules(this.#rendering, refusals);
    this.streams = canStream(deps.turn) ? createStreams(deps, this.#rendering, refusals) : undefined;
  }

  async post(message: AnswerMessage, content: MessageContent<SlackLayout>): Promise<void> {
    const rendered = await this.#rendering.render(content);
    message.id = await this.#deps.messages.post(message.index, renderBody(rendered, this.#rendering.tables));
    setShown(message, rendered.text, this.#rendering.serializeFrame(rendered));
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
    const body = hasBlocks ? renderReplacement(rendered, tables) : renderBody(rendered, tables);
    await this.#deps.messages.update(id, message.index, body);
    setShown(message, rendered.text, this.#rendering.serializeFrame(rendered));
  }

  async delete(id: NonNullable<AnswerMessage['id']>): Promise<void> {
    await this.#deps.messages.remove(id).catch((error: unknown) => {
      if (!(error instanceof SlackApiError) || error.code !== 'message_not_found') throw error;
    });
  }

  /** A stream has no metadata until it is closed. It is taken for this answer only if it began late enough: a thread has one answer at a time. */
  async find({ index, known, since }: Lookup) {
    const orphans = (await readUnlessRateLimited(this.#deps.find)) ?? [];
    const unknown = orphans.filter(({ id }) => !known.has(id));
    const orphan =
      unknown.find(({ part }) => part === index) ??
      unknown.find(({ id, part }) => part === undefined && Number(id) * 1_000 >= since);
    return orphan && { id: orphan.id, isStreaming: orphan.part === undefined };
  }
}

/**
 * In a channel, Slack streams to a person, and refuses a recipient who is none, such as a workflow, which has only the id of a bot. Of those
 * who asked by a schedule in an organization, the workspace is unknown. Source: docs.slack.dev/reference/methods/chat.startStream.
 */
const canStream = ({ thread, asker, askerWorkspace }: TurnRef): boolean =>
  thread.channel.startsWith('D') ||
  !(isIntegration(asker) || asker.startsWith('B') || isOrganization(askerWorkspace));

function createRules(rendering: SlackRendering, refusals: StreamRefusals): TransportRules<SlackLayout> {
  return {
    platform: 'slack',
    minLimit: MIN_LIMIT,
    prepare: () => undefined,
    layOut: (content) => rendering.layOut(content),
    shows: (message, content) => rendering.shows(message, rendering.toContent(content)),
    fitStep: fitCard,
    classifyError: classifyError,
    isRepeatable: () => false,
    recover: async (error, message, content) => {
      const failure = classifyError(error);
      if (failure.kind !== 'refused') return 'retry';
      const { code } = failure;
      if (renderPlainer(code, message, rendering.toContent(content), rendering)) return 'retry';
      return refusals.recover(code, error, message);
    },
  };
}

function createStreams(
  { turn, messages }: Pick<SlackTransportDeps, 'turn' | 'messages'>,
  rendering: SlackRendering,
  refusals: StreamRefusals,
): NativeStreams<SlackLayout> {
  return {
    isWatched: !turn.thread.channel.startsWith('D'),
    start: (words, steps) =>
      messages.start(
        words,
        steps.map((step) => toTaskChunk(step)),
      ),
    append: (id, words, steps, visibleSteps) =>
      messages.append(
        id,
        words,
        steps.map((step) => toTaskChunk(step, visibleSteps.get(step.id))),
      ),
    close: async (message, id, content) => {
      const rendered = await rendering.render(content);
      await closeStream(message, id, rendered, rendering, messages, refusals.isOverfull(message));
    },
    measureSteps: measureCards,
    fit: (words, steps, visibleSteps) => fitCardsBeside(words, steps, visibleSteps, rendering.limit),
    lowerLimit: (words, visibleSteps) => {
      rendering.limit = getRefusedLimit(rendering.limit, words, visibleSteps);
    },
    getMeaning,
  };
}

function getMeaning(failure: CallFailure): 'full' | 'stopped' | 'cannot-post' | 'other' {
  if (failure.kind !== 'refused') return 'other';
  if (failure.code === 'msg_too_long') return 'full';
  if (failure.code === 'stopped_by_user') return 'stopped';
  return isPermanent(failure.code) ? 'cannot-post' : 'other';
}

/**
 * Closes the stream of a message with what it lacks: words, cards, blocks. If it shows other words, or has no room, it is closed
 * as it is, for an edit to follow. Sets what is then known of the message. Rejects as SlackCall does.
 */
async function closeStream(
  message: AnswerMessage,
  id: MessageId,
  content: Content,
  rendering: SlackRendering,
  messages: Messages,
  isOverfull: boolean,
): Promise<void> {
  const { shown } = message;
  const { text } = content;
  const rest = showsWords(message, text) ? '' : getUnsentText(text, shown);
  const steps = rest === undefined || isOverfull ? undefined : lastCards(message, content, rendering);
  // Slack refuses words that are white space alone.
  const words = steps && rest?.trim() !== '' ? rest : undefined;
  // Where a table block is wanted, the message is edited anyway.
  const under = rendering.hasTableBlock(content) ? [] : content.under;
  const cards = steps?.map((step) => toTaskChunk(step, message.streamedSteps.get(step.id))) ?? [];
  const last: LastMessage = steps ? { words, cards, under } : {};
  // Known again only if the request succeeds: if it fails, the words may be there or not.
  if (words !== undefined || cards.length > 0) message.shown = undefined;
  await stop(message, id, last, shown, messages);
  if (!message.isStreaming) return;
  message.isStreaming = false;
  message.shown = steps ? text : undefined;
  message.frame = serializeClosing({ under });
  for (const step of steps ?? []) message.streamedSteps.set(step.id, step);
}

/** The cards that the stream still has to show; undefined if it has no room for all of them. */
function lastCards(
  { streamedSteps }: AnswerMessage,
  { text, steps }: Content,
  { limit }: SlackRendering,
): readonly Step[] | undefined {
  const outdated = listOutdatedCards(streamedSteps, steps);
  const { fitting, left } = fitCardsBeside(limit.unit.size(text), outdated, streamedSteps, limit);
  return left.length === 0 ? fitting : undefined;
}

function getUnsentText(text: string, visibleText: string | undefined): string | undefined {
  return visibleText !== undefined && text.startsWith(visibleText)
    ? text.slice(visibleText.length)
    : undefined;
}

/** Makes the request. A refusal means that nothing happened; a stream that has ended already gets its metadata by an edit. */
async function stop(
  message: AnswerMessage,
  id: MessageId,
  last: LastMessage,
  visibleText: string | undefined,
  messages: Messages,
): Promise<void> {
  try {
    await messages.stop(id, message.index, last);
  } catch (error) {
    const failure = classifyError(error);
    message.shown = failure.kind === 'busy' || failure.kind === 'transient' ? visibleText : undefined;
    if (failure.kind !== 'refused' || failure.code === 'message_not_found') throw error;
    // The appended content may be the reason: the next attempt sends none.
    const { words, cards = [], under = [] } = last;
    const hasContent = words !== undefined || cards.length > 0 || under.length > 0;
    message.isStreaming = hasContent && !CLOSED.has(failure.code);
    if (message.isStreaming) throw error;
  }
}

const CLOSED = new Set(['message_not_in_streaming_state', 'stopped_by_user']);
