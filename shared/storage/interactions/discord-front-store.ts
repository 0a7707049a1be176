import {
  type Attachment,
  type InteractionToken,
  type Modal,
  type TargetMessage,
  type Thread,
  threadKey,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';
import { type JobCaller, jobId, type JobOwnership, mayChangeJob } from '../../video/jobs/index.ts';
import { type DynamoSend, within } from '../dynamodb/json-protocol.ts';
import { jobKey } from '../jobs/job-key.ts';
import { personPointer } from '../privacy/person-pointers.ts';
import { draftKey, type SettingsLocation } from '../settings/settings-keys.ts';
import { acceptTurn, type SignalResult, signalTurn } from '../turns/turn-mutations.ts';
import {
  interactionTokenItem,
  interactionTokenKey,
  type InteractionTokenPlace,
} from './interaction-token-item.ts';
import { type Item, type Key, numeral } from '../turns/turn-keys.ts';
import { type TurnKey, TurnWrites } from '../turns/turn-writes.ts';
import type { TurnSignal } from '../turns/pending-questions.ts';

export type DiscordFrontStoreConfig = {
  readonly send: DynamoSend;
  readonly table: string;
  /** How long a turn is kept. */
  readonly days: number;
  readonly now: () => number;
};

/** What a form shows of the message that it is about. */
export type FormNote = Pick<TargetMessage, 'text'> & { readonly attachments: readonly Attachment[] };

/** Where a form was opened, and by whom: the thread of the message that it is about. */
export type NotePlace = Thread & { readonly user: UserId };

/** What the form of a video that there is already begins with. */
export type DraftedVideo = {
  readonly state: string;
  readonly prompt: string;
  readonly model: string;
  readonly price?: string | undefined;
};

/** How long a form may stand open, in seconds: as long as Discord takes it back. */
const NOTE_SECONDS = 3_600;

/** What a front that has to start fast writes down: turns, marks and tickets, without a validator for reading them. */
export class DiscordFrontStore {
  readonly #config: DiscordFrontStoreConfig;
  readonly #writes: TurnWrites;

  constructor(config: DiscordFrontStoreConfig) {
    const { send } = config;
    this.#config = config;
    this.#writes = new TurnWrites({
      ...config,
      dynamo: {
        put: async (input) => void (await send('PutItem', input)),
        update: async (input) => {
          const receipt = textIn(
            within(within(await send('UpdateItem', input), 'Attributes'), 'receipt'),
            'S',
          );
          return { Attributes: receipt ? { receipt: { S: receipt } } : {} };
        },
      },
    });
  }

  /**
   * Writes down that a call is to be answered. Repeated for the same call, it changes nothing. Its question stays out of
   * the record, so that it is not answered along with others: it has a place of its own that waits for an answer.
   */
  accept(ref: TurnRef): Promise<void> {
    return acceptTurn(this.#writes, ref, undefined);
  }

  /** What happened to a turn that has not ended: it was stopped, or is not to be answered after all. */
  mark(turn: TurnKey, mark: TurnSignal): Promise<SignalResult | undefined> {
    return signalTurn(this.#writes, turn, mark);
  }

  /** Keeps the ticket to answer a turn with, in place of an older one; given `to`, to tell that person something. */
  async keepTicket(
    thread: Thread,
    message: InteractionTokenPlace[1],
    ticket: InteractionToken,
    to?: UserId,
  ): Promise<void> {
    await this.#put(interactionTokenItem(interactionTokenKey(thread, message, to), ticket));
  }

  /** Keeps the message that this interaction is about, for who made it alone. It goes with its thread, with them, and with its author. */
  async keepNote(id: string, place: NotePlace, note: TargetMessage): Promise<void> {
    const ttl = numeral(this.#writes.seconds() + NOTE_SECONDS);
    const to = noteKey(id, place);
    // First what leads there.
    await this.#put(personPointer(to, note.author, ttl));
    await this.#put({ ...to, by: { S: place.user }, note: { S: JSON.stringify(note) }, ttl });
  }

  async #get(Key: Key): Promise<unknown> {
    const { send, table: TableName } = this.#config;
    return within(await send('GetItem', { TableName, Key }), 'Item');
  }

  /** DynamoDB removes expired items up to days late. */
  #isAlive(item: unknown): boolean {
    return Number(textIn(within(item, 'ttl'), 'N')) > this.#config.now() / 1_000;
  }

  async #put(Item: Item): Promise<void> {
    await this.#config.send('PutItem', { TableName: this.#config.table, Item });
  }

  /** The note; undefined if it was forgotten or has expired. */
  async note(id: string, place: NotePlace): Promise<FormNote | undefined> {
    const item = await this.#get(noteKey(id, place));
    const note: unknown = JSON.parse(textIn(within(item, 'note'), 'S') ?? '0');
    return this.#isAlive(item) && isNote(note) ? note : undefined;
  }

  /** A job by the id that a button carries; undefined where there is none, or none that `caller` may change. */
  async draftedVideo(id: string, caller: JobCaller): Promise<DraftedVideo | undefined> {
    const known = jobId(id);
    const found = known && (await this.#get(jobKey(known)));
    const body = textIn(within(found, 'body'), 'S');
    const job: unknown = body && JSON.parse(body);
    if (!isOwned(job) || !mayChangeJob(job, caller)) return undefined;
    const [state, prompt, model, price] = ['state', 'prompt', 'model', 'price'].map((key) =>
      textIn(job, key),
    );
    return state && prompt && model ? { state, prompt, model, price } : undefined;
  }

  /** A page of the form by which a person changes a draft of theirs; undefined where there is none. */
  async draftedForm(of: SettingsLocation, id: string, page: number): Promise<Modal | undefined> {
    const item = await this.#get(draftKey(of, id));
    const forms: unknown = JSON.parse(textIn(within(item, 'forms'), 'S') ?? '[]');
    const form = within(forms, String(page));
    return this.#isAlive(item) && textIn(within(item, 'by'), 'S') === of.user && isForm(form)
      ? form
      : undefined;
  }
}

/** Whether it says whose it is. */
const isOwned = (job: unknown): job is JobOwnership =>
  within(job, 'by') instanceof Object && within(job, 'thread') instanceof Object;

/** Written by a worker, which drew it. */
const isForm = (form: unknown): form is Modal => Array.isArray(within(form, 'fields'));

/** Where a form that was opened on a message keeps it: a form that names somebody else's interaction finds nothing. */
export const noteKey = (id: string, place: NotePlace): Key => ({
  pk: { S: threadKey(place) },
  sk: { S: `NOTE#${id}#${place.user}` },
});

/** Written by a front. Its attachments are validated by the worker, with the task that they go into. */
const isNote = (note: unknown): note is FormNote =>
  typeof within(note, 'text') === 'string' && Array.isArray(within(note, 'attachments'));

function textIn(of: unknown, key: string): string | undefined {
  const value = within(of, key);
  return typeof value === 'string' ? value : undefined;
}
