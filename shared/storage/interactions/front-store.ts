import {
  type Attachment,
  type FactOwner,
  type InteractionToken,
  type Modal,
  type TargetMessage,
  type Thread,
  threadKey,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';
import { type JobCaller, jobId, type JobOwnership, mayChangeJob } from '../../video/jobs/index.ts';
import { type DynamoSend, getField } from '../dynamodb/json-protocol.ts';
import {
  factsKey,
  jobKey,
  createPersonPointer,
  draftKey,
  type SettingsLocation,
  type Item,
  type Key,
  numberValue,
} from '../keys/item-keys.ts';
import { acceptTurn, type SignalResult, signalTurn, type TurnKey, TurnWrites } from '../turns/turn-table.ts';
import {
  createInteractionTokenItem,
  interactionTokenKey,
  type InteractionTokenTarget,
} from './interaction-token-item.ts';
import type { TurnSignal } from '../turns/turn-item.ts';

export type FrontStoreConfig = {
  readonly send: DynamoSend;
  readonly table: string;
  /** How long a turn is kept. */
  readonly days: number;
  readonly now: () => number;
};

/** The content of the target message of a modal. */
export type FormNote = Pick<TargetMessage, 'text'> & { readonly attachments: readonly Attachment[] };

/** The thread of the target message, and the person who opened the modal. */
export type NotePlace = Thread & { readonly user: UserId };

/** The initial values of the modal for an existing video job. */
export type VideoDraft = {
  readonly state: string;
  readonly operation?: string | undefined;
  readonly prompt: string;
  readonly model: string;
  readonly price?: string | undefined;
};

/** How long Discord accepts the submission of a modal (s). */
const NOTE_TTL_SECONDS = 3_600;

/**
 * What the fronts read and write without a validation library, because they must start fast: turns, signals, interaction
 * tokens, and what modals are filled with. The writes have no ids (see `withWriteIds`): a repeated write stores the same again, and at worst a
 * waiting task learns of a deletion when it is due, not at once.
 */
export class FrontStore {
  readonly #config: FrontStoreConfig;
  readonly #writes: TurnWrites;

  constructor(config: FrontStoreConfig) {
    const { send } = config;
    this.#config = config;
    this.#writes = new TurnWrites({
      ...config,
      dynamo: {
        put: async (input) => void (await send('PutItem', input)),
        update: async (input) => {
          const receipt = textField(
            getField(getField(await send('UpdateItem', input), 'Attributes'), 'receipt'),
            'S',
          );
          return { Attributes: receipt ? { receipt: { S: receipt } } : {} };
        },
      },
    });
  }

  /**
   * Records an interaction that will be answered. Idempotent. The question is not stored, so that it is not
   * answered together with others: its response is bound to the interaction.
   */
  accept(ref: TurnRef): Promise<unknown> {
    return acceptTurn(this.#writes, ref, undefined);
  }

  /** Signals a turn that has not ended: it was stopped, or must not be answered. */
  sendSignal(turn: TurnKey, signal: TurnSignal): Promise<SignalResult | undefined> {
    return signalTurn(this.#writes, turn, signal);
  }

  /**
   * Stores the token for the answer of a turn and replaces an older one; with `to`, the token for an ephemeral
   * message to that person.
   */
  async saveToken(
    thread: Thread,
    message: InteractionTokenTarget[1],
    token: InteractionToken,
    to?: UserId,
  ): Promise<void> {
    await this.#put(createInteractionTokenItem(interactionTokenKey(thread, message, to), token));
  }

  /**
   * Stores the target message of an interaction; only its person can load it. It is erased with its thread,
   * this person, and its author.
   */
  async saveNote(id: string, place: NotePlace, note: TargetMessage): Promise<void> {
    const ttl = numberValue(this.#writes.seconds() + NOTE_TTL_SECONDS);
    const to = noteKey(id, place);
    // The pointer is written first.
    await this.#put(createPersonPointer(to, note.author, ttl));
    await this.#put({ ...to, by: { S: place.user }, note: { S: JSON.stringify(note) }, ttl });
  }

  async #get(Key: Key): Promise<unknown> {
    const { send, table: TableName } = this.#config;
    return getField(await send('GetItem', { TableName, Key }), 'Item');
  }

  /** DynamoDB deletes expired items up to days late. */
  #isAlive(item: unknown): boolean {
    return Number(textField(getField(item, 'ttl'), 'N')) > this.#config.now() / 1_000;
  }

  async #put(Item: Item): Promise<void> {
    await this.#config.send('PutItem', { TableName: this.#config.table, Item });
  }

  /** Returns the note; undefined if it was erased or has expired. */
  async findNote(id: string, place: NotePlace): Promise<FormNote | undefined> {
    const item = await this.#get(noteKey(id, place));
    const note: unknown = JSON.parse(textField(getField(item, 'note'), 'S') ?? '0');
    return this.#isAlive(item) && isNote(note) ? note : undefined;
  }

  /**
   * Returns the values of a job, given the id from a button; undefined if it does not exist or `caller` may not
   * change it.
   */
  async findVideoDraft(id: string, caller: JobCaller): Promise<VideoDraft | undefined> {
    const known = jobId(id);
    const item = known && (await this.#get(jobKey(known)));
    const body = textField(getField(item, 'body'), 'S');
    const job: unknown = body && JSON.parse(body);
    if (!hasOwner(job) || !mayChangeJob(job, caller)) return undefined;
    const [state, operation, prompt, model, price] = ['state', 'operation', 'prompt', 'model', 'price'].map(
      (key) => textField(job, key),
    );
    return state && prompt && model ? { state, operation, prompt, model, price } : undefined;
  }

  /** Returns a page of the modal for editing the person's draft; undefined if there is none. */
  async findDraftModal(of: SettingsLocation, id: string, page: number): Promise<Modal | undefined> {
    const item = await this.#get(draftKey(of, id));
    const forms: unknown = JSON.parse(textField(getField(item, 'forms'), 'S') ?? '[]');
    const form = getField(forms, String(page));
    return this.#isAlive(item) && textField(getField(item, 'by'), 'S') === of.user && isForm(form)
      ? form
      : undefined;
  }

  /** Returns the text of a fact that is remembered about the person; undefined if there is none with that id. */
  async findFact(of: FactOwner, id: string): Promise<string | undefined> {
    const facts: unknown = JSON.parse(
      textField(getField(await this.#get(factsKey(of)), 'facts'), 'S') ?? '[]',
    );
    return Array.isArray(facts)
      ? textField(
          facts.find((fact) => textField(fact, 'id') === id),
          'text',
        )
      : undefined;
  }
}

/** Whether the value names its owner. */
const hasOwner = (job: unknown): job is JobOwnership =>
  getField(job, 'by') instanceof Object && getField(job, 'thread') instanceof Object;

/** A worker wrote it, so a full check is not needed. */
const isForm = (form: unknown): form is Modal => Array.isArray(getField(form, 'fields'));

/** The key of a note. It contains the person, so that a modal cannot load another person's note. */
export const noteKey = (id: string, place: NotePlace): Key => ({
  pk: { S: threadKey(place) },
  sk: { S: `NOTE#${id}#${place.user}` },
});

/** A front wrote it. The worker validates the attachments with the task that contains them. */
const isNote = (note: unknown): note is FormNote =>
  typeof getField(note, 'text') === 'string' && Array.isArray(getField(note, 'attachments'));

function textField(of: unknown, key: string): string | undefined {
  const value = getField(of, key);
  return typeof value === 'string' ? value : undefined;
}
