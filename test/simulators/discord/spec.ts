import type { Body } from './body.ts';
import { type DiscordDocument, type Misfit, readDocument } from './document.ts';
import type { Fault } from './refusal.ts';

/** Discord's own OpenAPI document, for requests to the simulator and for its responses. */
export type Specification = {
  /** The violations by path; none where the document has no schema. */
  request(route: string, body: Body): Fault[];
  /** The same for a response. Throws for a violation, which is a defect of the simulator. */
  holdResponse(route: string, status: number, body: unknown): void;
};

const SHOWN_MOST = 20;

/** Reads the document from `<shared>/specs/discord-openapi.json`; undefined if it is missing. */
export function readSpecification(shared: string | undefined): Specification | undefined {
  const document = readDocument(shared);
  return document && specificationOf(document);
}

const specificationOf = (document: DiscordDocument): Specification => ({
  request: (route, { payload }) =>
    (document(route, { direction: 'request' }, payload ?? {}) ?? []).slice(0, SHOWN_MOST).map(faultOf),
  holdResponse(route, status, body) {
    const [misfit] = document(route, { direction: 'response', status }, body) ?? [];
    if (!misfit) return;
    const { at, message } = misfit;
    throw new Error(`Discord would not answer so: ${route}, ${status}, ${at}: ${message}`);
  },
});

function faultOf({ at: pointer, message, keyword }: Misfit): Fault {
  const at = pointer.split('/').slice(1);
  return { at, code: CODES[keyword] ?? `SPECIFICATION_${keyword.toUpperCase()}`, message };
}

const LENGTH = 'BASE_TYPE_BAD_LENGTH';
const CODES: Readonly<Record<string, string>> = {
  maxLength: LENGTH,
  minLength: LENGTH,
  maxItems: LENGTH,
  minItems: LENGTH,
  required: 'BASE_TYPE_REQUIRED',
  enum: 'BASE_TYPE_CHOICES',
};
