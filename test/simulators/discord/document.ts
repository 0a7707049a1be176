import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import * as v from 'valibot';
import { isJson } from './json.ts';

/** One violation in a body. */
export type Misfit = {
  /** As a JSON pointer that starts with `#`. */
  readonly at: string;
  /** The rule of JSON Schema, such as `required`. */
  readonly keyword: string;
  readonly message: string;
};

/** Which body: that of a request, or of a response. */
export type Direction =
  | { readonly direction: 'request' }
  | { readonly direction: 'response'; readonly status: number };

/** Discord's OpenAPI document: returns the violations of a body; undefined without a schema for it. */
export type DiscordDocument = (
  operation: string,
  which: Direction,
  body: unknown,
) => readonly Misfit[] | undefined;

const content = v.object({
  content: v.optional(v.record(v.string(), v.object({ schema: v.optional(v.custom<Schema>(isJson)) }))),
});
const operationShape = v.object({
  requestBody: v.optional(content),
  responses: v.record(v.string(), v.union([v.object({ $ref: v.string() }), content])),
});
const documentShape = v.object({
  paths: v.record(v.string(), v.record(v.string(), v.unknown())),
  components: v.object({ responses: v.record(v.string(), content) }),
});

/** Reading the document takes a quarter of a second, so it is read once per process. */
const read = new Map<string, DiscordDocument>();

/** Reads the document from `<shared>/specs/discord-openapi.json`; undefined if it is missing. */
export function readDocument(shared: string | undefined): DiscordDocument | undefined {
  const file = shared === undefined ? undefined : join(shared, 'specs', 'discord-openapi.json');
  if (file === undefined || !existsSync(file)) return undefined;
  const document = read.get(file) ?? documentOf(JSON.parse(readFileSync(file, 'utf8')));
  read.set(file, document);
  return document;
}

function documentOf(document: unknown): DiscordDocument {
  const { paths, components } = v.parse(documentShape, document);
  const lookup = dereference(isJson(document) ? document : {});
  const schemaOf = (operation: string, which: Direction): Schema | undefined => {
    const [method = '', path = ''] = operation.split(' ');
    const { requestBody, responses = {} } =
      v.parse(v.fallback(v.optional(operationShape), undefined), paths[path]?.[method.toLowerCase()]) ?? {};
    const declared = which.direction === 'request' ? requestBody : responseFor(responses, which.status);
    const response =
      declared && '$ref' in declared ? components.responses[declared.$ref.split('/').at(-1) ?? ''] : declared;
    return response?.content?.['application/json']?.schema;
  };
  /** The bodies that fit, by a hash. */
  const valid = new Set<string>();
  return (operation, which, body) => {
    const schema = schemaOf(operation, which);
    if (schema === undefined) return undefined;
    const payload = which.direction === 'request' ? body : withoutForwards(withoutErrorTree(body));
    // Each system that starts sends the same commands, of 200 KB.
    const key = hash('sha256', `${operation} ${JSON.stringify(which)} ${withoutIds(payload)}`);
    if (valid.has(key)) return [];
    // To stop at the first error takes half of the time: of a choice of twenty components, all but one fail.
    if (validate(payload, schema, '2020-12', lookup, true).valid) {
      valid.add(key);
      return [];
    }
    const { errors } = validate(payload, schema, '2020-12', lookup, false);
    return essential(errors).map(({ instanceLocation, keyword, error }) => ({
      at: instanceLocation,
      keyword,
      message: error,
    }));
  };
}

/** The digits of an id, where it is the whole of a text. */
const ID = /(?<=")[1-9]\d{16,19}(?=")/gu;

/** The JSON with a number of its own for each id. The document knows the form of ids, and where each may occur once, but no id. */
function withoutIds(body: unknown): string {
  const numbers = new Map<string, number>();
  return JSON.stringify(body ?? null).replaceAll(ID, (id) => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return `1${String(number).padStart(id.length - 1, '0')}`;
  });
}

function responseFor(responses: v.InferOutput<typeof operationShape>['responses'], status: number) {
  return responses[String(status)] ?? (status >= 400 && status < 500 ? responses['4XX'] : undefined);
}

/**
 * The document says that the codes in the tree of `errors` are numbers; Discord's real ones are words:
 * docs:reference#error-messages.
 */
function withoutErrorTree(response: unknown): unknown {
  if (!isJson(response) || !v.safeParse(errorTree, response['errors']).success) return response;
  const { errors: _, ...rest } = response;
  return rest;
}

/** The document knows replies only (type 0); Discord's type 1 is a forwarded message: docs:message#message-reference-types. */
function withoutForwards(response: unknown): unknown {
  const json = JSON.stringify(response) ?? '';
  if (!json.includes('"message_snapshots":')) return response;
  return JSON.parse(json, (name, value: unknown) =>
    name === 'message_reference' && isJson(value) && value['type'] === 1 ? { ...value, type: 0 } : value,
  );
}

const errorTree = v.record(
  v.string(),
  v.union([
    v.array(v.object({ code: v.string(), message: v.string() })),
    v.lazy((): v.GenericSchema => errorTree),
  ]),
);

/** Rules that only repeat the errors of nested rules. */
const PASSING_ON = new Set(['$ref', 'properties', 'items', 'allOf', 'additionalProperties']);
const CHOICES = new Set(['oneOf', 'anyOf']);
/** A schema of a choice that requires another type of value, or another `type` field. */
const NOT_MEANT = /^(.*\/(?:oneOf|anyOf)\/\d+)(?:\/\$ref)*\/(?:type|(properties\/type)\/(?:enum|const))$/u;

/**
 * The relevant errors: not those that only repeat others, and of a choice only those of the schemas that may be
 * intended.
 */
function essential(errors: readonly OutputUnit[]): OutputUnit[] {
  const notMeant = errors.flatMap(({ keywordLocation, instanceLocation }) => {
    const [, branch, field] = NOT_MEANT.exec(keywordLocation) ?? [];
    if (branch === undefined) return [];
    return [{ branch, of: field === undefined ? instanceLocation : dirname(instanceLocation) }];
  });
  const meant = errors.filter(
    (error) =>
      !PASSING_ON.has(error.keyword) && !notMeant.some(({ branch, of }) => isWithin(error, branch, of)),
  );
  return meant.filter(
    ({ keyword, keywordLocation, instanceLocation }) =>
      !CHOICES.has(keyword) || !meant.some((other) => isWithin(other, keywordLocation, instanceLocation)),
  );
}

/** Whether an error is of a rule below `rule`, and at or below `place`. */
const isWithin = ({ keywordLocation, instanceLocation }: OutputUnit, rule: string, place: string): boolean =>
  keywordLocation.startsWith(`${rule}/`) && `${instanceLocation}/`.startsWith(`${place}/`);

const dirname = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
