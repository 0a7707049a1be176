import { messageId, type MessageId, type Thread, type TurnRef } from '../../domain/index.ts';
import { goneOf, pointersOf } from '../recordings/recording-keys.ts';
import { type SignalResult, signalTurn } from './turn-mutations.ts';
import { CLOSED, FIRST, keyOf, LAST, readItem, refOf, type TurnItem } from './turn-item.ts';
import { sentAt } from './turn-keys.ts';
import { numeral, type TurnsConfig, TurnTable, ignoreRefusedCondition } from './turn-table.ts';
import {
  type TurnSignal,
  type SignalledTurn,
  signalsIn,
  type PendingQuestion,
  pendingQuestionsIn,
} from './pending-questions.ts';

/** A turn as people who press, edit or delete find it. */
export type TurnLookup = {
  readonly turn: TurnRef;
  readonly ended: boolean;
  /** The turn that answers this question together with others. */
  readonly into: MessageId | undefined;
};

/** For longer than a recording waits to be heard: the queue keeps it for a day, and once more each time it got on. */
const GONE_DAYS = 7;

/** Longer than the recording of a question takes for it not to count as late, by all clocks involved: see `TurnIntake.accept`. */
const MAX_RECORDING_MS = 60_000;

/** How many items a look at a thread takes in: this turn and what was asked since. */
const SEEN = 10;

const foundIn = (item: TurnItem): TurnLookup => ({
  turn: refOf(item),
  ended: item.body !== undefined,
  into: item.into && messageId(item.into.S),
});

/** Its answer was begun and has not ended, or is to be looked at once more. */
function isUnsettled({ fence = 0, body, into, mark, open }: TurnItem): boolean {
  const begun = fence > 0 && !body && !into && mark?.S !== 'deleted';
  return begun || open?.S === 'reconcile';
}

/** What people do while a question waits or is being answered, and afterwards. */
export class TurnSignals {
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    this.#table = new TurnTable(config);
  }

  /** The turn of a message, if it is one. */
  async find(thread: Thread, message: MessageId): Promise<TurnLookup | undefined> {
    const item = await this.#table.find({ thread, message });
    return item && foundIn(item);
  }

  /**
   * Remembers that a message was deleted: its recordings are not transcribed, and it is not answered if it is recorded only now. See
   * `TurnIntake.dropDeleted`.
   */
  async rememberDeletion(thread: Thread, message: MessageId): Promise<void> {
    await this.#table.create({
      ...goneOf({ thread, message }),
      ttl: numeral(this.#table.seconds() + GONE_DAYS * 86_400),
    });
  }

  /** Whether a message that is deleted now may still be recorded as a question. One that is recorded later is looked up on the platform. */
  mayBeRecorded(message: MessageId): boolean {
    return this.#table.now() - 1_000 * sentAt(message) < MAX_RECORDING_MS;
  }

  /** Whether recordings of this message were heard, or are to be heard. */
  async hasRecordings(thread: Thread, message: MessageId): Promise<boolean> {
    const { Items = [] } = await this.#table.query(thread, ...pointersOf(message), { Limit: 1 });
    return Items.length > 0;
  }

  /**
   * Tells the worker that answers this turn, or will, what happened to it; `wish` is the key of the task that deals with
   * it. A turn that has ended, and is not being answered anew just now, is left as it is. Where nobody works on the turn since its task waits,
   * whoever marks it shows the task's message again: see `signalTurn`.
   */
  mark(turn: TurnRef, mark: TurnSignal, wish?: string): Promise<SignalResult | undefined> {
    return signalTurn(this.#table, turn, mark, wish);
  }

  /** What is being answered in a thread just now, or waits for it to go on. */
  async running(thread: Thread): Promise<TurnRef[]> {
    return (await this.#running(thread)).map(refOf);
  }

  /** Whether something is being answered in a thread just now. */
  async isAnswering(thread: Thread): Promise<boolean> {
    return (await this.#running(thread)).length > 0;
  }

  async #running(thread: Thread): Promise<TurnItem[]> {
    const now = this.#table.now();
    return (await this.#newest(thread)).filter(
      ({ lease = 0, receipt }) => lease > now || receipt !== undefined,
    );
  }

  /** The newest questions in a thread that have no answer yet. */
  async unanswered(thread: Thread): Promise<TurnLookup[]> {
    return (await this.#open(thread)).map(foundIn);
  }

  /**
   * What is known of the answers to other questions of the thread, the newest ones: their messages, and the questions whose
   * answers may have messages that nobody has written down.
   */
  async beside(
    turn: TurnRef,
  ): Promise<{ readonly posted: readonly MessageId[]; readonly unsettled: readonly MessageId[] }> {
    const others = (await this.#newest(turn.thread)).filter(({ id }) => id.S !== turn.message);
    return {
      posted: others.flatMap(({ posted }) => posted?.L.map(({ S }) => messageId(S)) ?? []),
      unsettled: others.filter(isUnsettled).map(({ id }) => messageId(id.S)),
    };
  }

  async #open(thread: Thread): Promise<TurnItem[]> {
    return (await this.#newest(thread)).filter(({ body }) => body === undefined);
  }

  async #newest(thread: Thread): Promise<TurnItem[]> {
    const options = { ScanIndexForward: false, Limit: SEEN, ConsistentRead: true };
    const { Items = [] } = await this.#table.query(thread, FIRST, LAST, options);
    return Items.filter(({ sk }) => sk?.S !== CLOSED).map(readItem);
  }

  /** The mark on a turn that is being answered, and the questions that came in since. Half a read unit. */
  async watch(
    turn: TurnRef,
  ): Promise<{ readonly marked: SignalledTurn | undefined; readonly waiting: readonly PendingQuestion[] }> {
    const { Items = [] } = await this.#table.query(turn.thread, keyOf(turn.thread, turn.message).sk.S, LAST, {
      Limit: SEEN,
    });
    const items = Items.filter(({ sk }) => sk?.S !== CLOSED).map(readItem);
    const own = items.find(({ id }) => id.S === turn.message);
    return {
      marked: own && signalsIn(own),
      waiting: items.flatMap((item) => pendingQuestionsIn(item, turn)),
    };
  }

  /** A question was answered together with others, in the turn `into`. Its own task then has nothing left to do. */
  async fold(turn: TurnRef, into: MessageId): Promise<void> {
    await ignoreRefusedCondition(
      this.#table.update(
        turn,
        'SET #into = :into REMOVE ask, files',
        'attribute_exists(pk) AND attribute_not_exists(body)',
        {
          ':into': { S: into },
        },
      ),
    );
  }

  /** The message that the thread hangs on was deleted: the bot takes no part in it any more. */
  async close(thread: Thread): Promise<void> {
    const { pk } = keyOf(thread, thread.root);
    await this.#table.create({ pk, sk: { S: CLOSED }, ttl: numeral(this.#table.expiry()) });
  }
}
