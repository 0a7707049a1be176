import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Actor,
  type Audience,
  type Content,
  forbidden,
  type Members,
  type Reader,
} from './access-model.ts';
import { type Changed, unchangeable } from './change-model.ts';

/**
 * The person and operation that cause the current work. It does not depend on what the handlers read from a request.
 */
export const ACTOR = new AsyncLocalStorage<Actor>();

/**
 * A forged control, which no client can send, may show its sender's own text to everybody in the tenant, but no other
 * text.
 */
function showsOwn({ owner, audience }: Content, { tenant }: Reader): boolean {
  const actor = ACTOR.getStore();
  const isTheirs = actor?.operation.includes('forged') === true && owner === actor.user;
  return isTheirs && audience.kind !== 'nobody' && audience.tenant === tenant;
}

const MARKER = /qz[0-9a-z]{8}/gu;
/**
 * A name derived from a text, such as that of a saved persona. It excludes a bare marker, which the text itself
 * contains.
 */
const NAME = /[\w-]*(?:\w-qz[0-9a-z]{8}|qz[0-9a-z]{8}-\w)[\w-]*/gu;

/** The names in the value of a forged control. */
export const namesIn = (text: string): string[] => text.match(NAME) ?? [];

/** The video job that a control names. */
export const videoIn = (text: string): string | undefined =>
  /video\.[a-z-]+\|([0-9a-f]{16}-[0-9a-f]{20})/u.exec(text)?.[1];

/** The proposed video that a control starts. */
export const startedVideoIn = (text: string): string | undefined =>
  /video\.make\|([0-9a-f]{16}-[0-9a-f]{20})/u.exec(text)?.[1];

/** Knows every planted text and its audience, and records texts that arrive where they may not. */
export class AccessChecker {
  readonly violations: string[] = [];
  /** The number of texts, keys and changes that were compared with the model. */
  checks = 0;
  /** Is told of each text that is read. */
  onRead: (text: string, reader: Reader) => void = () => undefined;
  readonly #contents = new Map<string, Content>();
  readonly #members: Members;

  constructor(members: Members) {
    this.#members = members;
  }

  /** Creates a new marker for a text. */
  plant(audience: Audience, owner: string): string {
    const marker = `qz${(0x1_0000_0000 + this.#contents.size * 7919).toString(36).padStart(8, '0').slice(-8)}`;
    this.#contents.set(marker, { marker, owner, audience });
    return marker;
  }

  contentsIn(text: string): Content[] {
    const match = text.match(MARKER);
    if (!match) return [];
    return [...new Set(match)].flatMap((marker) => this.#contents.get(marker) ?? []);
  }

  /** From now on everybody in the audience may read the texts with these markers: their owner showed them to all. */
  publish(text: string, audience: Audience): void {
    for (const content of this.contentsIn(text)) {
      if (content.audience.kind !== 'nobody') this.#contents.set(content.marker, { ...content, audience });
    }
  }

  /** Makes the text part of the question of this person, in this conversation if it is known. */
  quote(text: string, user: string, conversation?: string): void {
    for (const content of this.contentsIn(text)) {
      const quotedBy = new Set([...(content.quotedBy ?? []), user]);
      const conversations = conversation === undefined ? [] : [conversation];
      const quotedIn = new Set([...(content.quotedIn ?? []), ...conversations]);
      this.#contents.set(content.marker, { ...content, quotedBy, quotedIn });
    }
  }

  /** The texts that a person wrote in a tenant. */
  markersOf(tenant: string, user: string): readonly string[] {
    return [...this.#contents.values()].flatMap(({ marker, owner, audience }) =>
      owner === user && audience.tenant === tenant ? [marker] : [],
    );
  }

  /** A search of messages found a text for this conversation, where it may be read from now on. */
  noteFound(marker: string, conversation: string): void {
    const content = this.#contents.get(marker);
    if (content)
      this.#contents.set(marker, {
        ...content,
        foundIn: new Set([...(content.foundIn ?? []), conversation]),
      });
  }

  /** A person added a copy of a text to the knowledge of their direct channel. */
  noteCopy(marker: string, channel: string): void {
    const content = this.#contents.get(marker);
    if (content)
      this.#contents.set(marker, { ...content, copiedTo: new Set([...(content.copiedTo ?? []), channel]) });
  }

  /** Checks a text that arrived at a reader. */
  read(text: string, reader: Reader, where: string): void {
    this.onRead(text, reader);
    const { forgedNames = [] } = ACTOR.getStore() ?? {};
    const own = forgedNames.reduce((rest, name) => rest.replaceAll(name, ''), text);
    for (const content of this.contentsIn(own)) {
      this.checks += 1;
      const why = forbidden(content, reader, this.#members);
      if (why !== undefined && !showsOwn(content, reader)) this.fail(`${where}: ${why} (${content.marker})`);
    }
  }

  /** Checks a change that the current actor makes. */
  change(changed: Changed, where: string): void {
    const actor = ACTOR.getStore();
    if (!actor) return;
    this.checks += 1;
    const why = unchangeable(actor, changed);
    if (why !== undefined) this.fail(`${where}: ${why}`);
  }

  fail(what: string): void {
    const actor = ACTOR.getStore();
    const by = actor ? `${actor.operation} of ${actor.user} in ${actor.tenant} ${actor.channel}` : 'nobody';
    this.violations.push(`${what}, during ${by}`);
  }
}
