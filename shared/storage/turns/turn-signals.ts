import { messageId, type MessageId, type Thread, type TurnRef } from '../../domain/index.ts';
import { deletionKey, pointerRange } from '../keys/recording-keys.ts';
import { getDeletionExpiry } from './deleted-questions.ts';
import {
  type SignalResult,
  signalTurn,
  ignoreConditionFailure,
  type TurnsConfig,
  TurnTable,
} from './turn-table.ts';
import {
  parseTurnItem,
  getTurnRef,
  type TurnItem,
  type TurnSignal,
  type StoredSignal,
  getStoredSignal,
  type PendingQuestion,
  listPendingQuestions,
} from './turn-item.ts';
import { CLOSED_THREAD_KEY, FIRST_TURN_KEY, turnKey, LAST_TURN_KEY, numberValue } from '../keys/item-keys.ts';
import {
  type CollectionPlace,
  collectionPartition,
  DOCUMENT_PREFIX,
  messageDocumentPrefix,
} from '../keys/document-keys.ts';
import { getMessageTimeMs } from '../../utils/index.ts';

/** A turn that an event refers to. */
export type TurnLookup = {
  readonly turn: TurnRef;
  readonly ended: boolean;
  /** The turn that answers this question together with others. */
  readonly mergedInto: MessageId | undefined;
  /** The key of the edit that the question was recorded from. */
  readonly recordedEdit: string | undefined;
};

/**
 * Longer than recording a question takes if it does not count as late, including clock differences: see
 * `TurnIntake.accept`.
 */
const MAX_ACCEPT_DELAY_MS = 60_000;

/** The number of items of a query: this turn and later ones. */
const MAX_ITEMS = 10;
/** A running answer may be far from the end of its thread: others wrote meanwhile, or an old answer is regenerated. */
const MAX_ITEMS_TO_RUNNING = 100;

const toTurnLookup = (item: TurnItem): TurnLookup => ({
  turn: getTurnRef(item),
  ended: item.body !== undefined,
  mergedInto: item.into && messageId(item.into.S),
  recordedEdit: item.edit?.S,
});

/** Its answer was started and has not ended, or needs a check. */
function isUnsettled({ fence = 0, body, into, mark, open }: TurnItem): boolean {
  const hasStarted = fence > 0 && !body && !into && mark?.S !== 'deleted';
  return hasStarted || open?.S === 'reconcile';
}

/** Signals from events while a question is pending or being answered, and afterwards. */
export class TurnSignals {
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    this.#table = new TurnTable(config);
  }

  /** Returns the turn of a message, if it is a question. */
  async find(thread: Thread, message: MessageId): Promise<TurnLookup | undefined> {
    const item = await this.#table.find({ thread, message });
    return item && toTurnLookup(item);
  }

  /**
   * Stores that a message was deleted: its recordings are not transcribed, it is not answered if it is recorded
   * later (see `TurnIntake.dropDeleted`), and not asked again (see `Turns.findDeleted`).
   */
  async rememberDeletion(thread: Thread, message: MessageId): Promise<void> {
    await this.#table.create({
      ...deletionKey({ thread, message }),
      ttl: getDeletionExpiry(this.#table),
    });
  }

  /**
   * Whether a message that is deleted now may still be recorded as a question. For one that is recorded later,
   * the platform is checked.
   */
  canStillBeAccepted(message: MessageId): boolean {
    return this.#table.now() - getMessageTimeMs(message) < MAX_ACCEPT_DELAY_MS;
  }

  /** Whether recordings of this message were transcribed, or will be. */
  async hasRecordings(thread: Thread, message: MessageId): Promise<boolean> {
    const { Items = [] } = await this.#table.query(thread, ...pointerRange(message), { Limit: 1 });
    return Items.length > 0;
  }

  /** Whether a message has documents in the collection of its channel. */
  async hasDocuments(thread: Thread, message: MessageId): Promise<boolean> {
    const first = `${DOCUMENT_PREFIX}${messageDocumentPrefix(message)}`;
    return this.#table.hasItems(collectionPartition(thread), first, `${first}~`);
  }

  /** Whether a channel has a collection with documents. */
  async hasCollection(place: CollectionPlace): Promise<boolean> {
    return this.#table.hasItems(collectionPartition(place), DOCUMENT_PREFIX, `${DOCUMENT_PREFIX}~`);
  }

  /**
   * Signals the current or next worker of a turn; `key` is the key of the task that handles the change. Nothing
   * is stored if the turn has ended and is not being answered again, except that it was deleted: the prompts of later questions must not contain it,
   * although the task that removes it waits behind them. If its task is waiting, the caller must make its message visible: see `signalTurn`.
   */
  async sendSignal(turn: TurnRef, signal: TurnSignal, key?: string): Promise<SignalResult | undefined> {
    const sent = await signalTurn(this.#table, turn, signal, key);
    if (!sent && signal === 'deleted')
      await ignoreConditionFailure(
        this.#table.updateTurn(turn, 'SET gone = :now', 'attribute_exists(body)', {
          ':now': numberValue(this.#table.now()),
        }),
      );
    return sent;
  }

  /** Returns the turns of a thread that are being answered or wait to continue. */
  async listRunning(thread: Thread): Promise<TurnRef[]> {
    return (await this.#running(thread, MAX_ITEMS_TO_RUNNING)).map(getTurnRef);
  }

  /** Whether a turn of the thread is being answered. */
  async isAnswering(thread: Thread): Promise<boolean> {
    return (await this.#running(thread, MAX_ITEMS)).length > 0;
  }

  async #running(thread: Thread, limit: number): Promise<TurnItem[]> {
    const now = this.#table.now();
    return (await this.#newest(thread, limit)).filter(
      ({ lease = 0, receipt }) => lease > now || receipt !== undefined,
    );
  }

  /** Returns the newest questions of a thread without an answer. */
  async listUnanswered(thread: Thread): Promise<TurnLookup[]> {
    return (await this.#open(thread)).map(toTurnLookup);
  }

  /**
   * Returns the messages of the other newest answers of the thread, and the questions whose answers may have
   * messages that are not stored.
   */
  async otherAnswers(
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

  async #newest(thread: Thread, limit = MAX_ITEMS): Promise<TurnItem[]> {
    const options = { ScanIndexForward: false, Limit: limit, ConsistentRead: true };
    const { Items = [] } = await this.#table.query(thread, FIRST_TURN_KEY, LAST_TURN_KEY, options);
    return Items.filter(({ sk }) => sk?.S !== CLOSED_THREAD_KEY).map(parseTurnItem);
  }

  /**
   * Returns the signal of a turn that is being answered, and the questions that arrived since. Half a read
   * unit.
   */
  async poll(
    turn: TurnRef,
  ): Promise<{ readonly signal: StoredSignal | undefined; readonly waiting: readonly PendingQuestion[] }> {
    const { Items = [] } = await this.#table.query(
      turn.thread,
      turnKey(turn.thread, turn.message).sk.S,
      LAST_TURN_KEY,
      {
        Limit: MAX_ITEMS,
      },
    );
    const items = Items.filter(({ sk }) => sk?.S !== CLOSED_THREAD_KEY).map(parseTurnItem);
    const own = items.find(({ id }) => id.S === turn.message);
    return {
      signal: own && getStoredSignal(own),
      waiting: items.flatMap((item) => listPendingQuestions(item, turn)),
    };
  }

  /**
   * Stores the receipt handle of another delivery of a task that keeps waiting, because SQS accepts only the newest one. False if the worker must handle
   * the task now: there is a signal, or a worker has claimed it.
   */
  async keepWaiting(turn: TurnRef, receipt: string): Promise<boolean> {
    const item = await ignoreConditionFailure(
      this.#table.update(turn, 'SET receipt = :receipt', 'attribute_exists(receipt)', {
        ':receipt': { S: receipt },
      }),
    );
    return item !== undefined && getStoredSignal(item) === undefined;
  }

  /** Marks a question as answered in the turn `into`. Its own task then has nothing to do. */
  async markMerged(turn: TurnRef, into: MessageId): Promise<void> {
    await ignoreConditionFailure(
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

  /**
   * Stores that the task in this queue message is given up: writes of processes that still work on it are
   * rejected, and they get no claim any more. Other tasks do. One write unit.
   */
  async giveUp(turn: TurnRef, queueMessage: string): Promise<void> {
    await ignoreConditionFailure(
      this.#table.update(
        turn,
        'SET dead = :message, lease = :free, fence = if_not_exists(fence, :free) + :one REMOVE receipt',
        'attribute_exists(pk)',
        { ':message': { S: queueMessage }, ':free': numberValue(0), ':one': numberValue(1) },
      ),
    );
  }

  /** Closes a thread whose root message was deleted: the bot no longer takes part in it. */
  async closeThread(thread: Thread): Promise<void> {
    const { pk } = turnKey(thread, thread.root);
    await this.#table.create({ pk, sk: { S: CLOSED_THREAD_KEY }, ttl: numberValue(this.#table.expiry()) });
  }
}
