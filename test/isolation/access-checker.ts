import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Actor,
  type Audience,
  type Changed,
  type Content,
  forbidden,
  type Members,
  type Reader,
  unchangeable,
} from './access-model.ts';

/** Who does what is being done just now. What the handlers read out of a request has no say in it. */
export const ACTOR = new AsyncLocalStorage<Actor>();

/** Whoever changes a control, which no client lets them, may show everybody in the tenant their own words by it: nobody else's. */
function showsOwn({ owner, audience }: Content, { tenant }: Reader): boolean {
  const actor = ACTOR.getStore();
  const isTheirs = actor?.operation.includes('forged') === true && owner === actor.user;
  return isTheirs && audience.kind !== 'nobody' && audience.tenant === tenant;
}

const MARKER = /qz[0-9a-z]{8}/gu;
/** A name that was made of a text, such as that of a saved persona: never the mark alone, which the text itself holds. */
const NAME = /[\w-]*(?:\w-qz[0-9a-z]{8}|qz[0-9a-z]{8}-\w)[\w-]*/gu;

/** The names in what a changed control says. */
export const namesIn = (text: string): string[] => text.match(NAME) ?? [];

/** Knows every text that was written and whom it is for, and notes what arrives where it may not. */
export class AccessChecker {
  readonly violations: string[] = [];
  /** How many texts, keys and changes were held against the model. */
  checks = 0;
  readonly #contents = new Map<string, Content>();
  readonly #members: Members;

  constructor(members: Members) {
    this.#members = members;
  }

  /** A new word for a text. */
  plant(audience: Audience, owner: string): string {
    const marker = `qz${(0x1_0000_0000 + this.#contents.size * 7919).toString(36).padStart(8, '0').slice(-8)}`;
    this.#contents.set(marker, { marker, owner, audience });
    return marker;
  }

  contentsIn(text: string): Content[] {
    const found = text.match(MARKER);
    if (!found) return [];
    return [...new Set(found)].flatMap((marker) => this.#contents.get(marker) ?? []);
  }

  /** From now on everybody in that channel may read what is in this text: its owner showed it to all. */
  publish(text: string, audience: Audience): void {
    for (const content of this.contentsIn(text)) {
      if (content.audience.kind !== 'nobody') this.#contents.set(content.marker, { ...content, audience });
    }
  }

  /** Somebody asks about this text: it is part of their question from then on. */
  quote(text: string, user: string): void {
    for (const content of this.contentsIn(text)) {
      const quotedBy = new Set([...(content.quotedBy ?? []), user]);
      this.#contents.set(content.marker, { ...content, quotedBy });
    }
  }

  /** A text arrived somewhere. */
  read(text: string, reader: Reader, where: string): void {
    const { given = [] } = ACTOR.getStore() ?? {};
    const own = given.reduce((rest, name) => rest.replaceAll(name, ''), text);
    for (const content of this.contentsIn(own)) {
      this.checks += 1;
      const why = forbidden(content, reader, this.#members);
      if (why !== undefined && !showsOwn(content, reader)) this.fail(`${where}: ${why} (${content.marker})`);
    }
  }

  /** Something was changed by whoever acts. */
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
