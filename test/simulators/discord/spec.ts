import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema';
import * as z from 'zod/mini';
import type { Body } from './body.ts';
import { isJson } from './json.ts';
import type { Fault } from './refusal.ts';

/** What Discord's own OpenAPI document says of a body; a fault per place that does not fit. */
export type Specification = (route: string, body: Body) => Fault[];

const operationShape = z.object({
  requestBody: z.optional(
    z.object({ content: z.record(z.string(), z.object({ schema: z.custom<Schema>(isJson) })) }),
  ),
});
const documentShape = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.unknown(),
});

/** Rules that only pass on what other rules found. */
const ABOVE = new Set(['$ref', 'properties', 'items', 'allOf', 'additionalProperties']);
const SHOWN_MOST = 20;

/** Reading the document takes a quarter of a second: once a process is enough. */
const read = new Map<string, Specification>();

/** Reads the document from `<shared>/specs/discord-openapi.json`; undefined where it is not there. */
export function readSpecification(shared: string | undefined): Specification | undefined {
  const file = shared === undefined ? undefined : join(shared, 'specs', 'discord-openapi.json');
  if (file === undefined || !existsSync(file)) return undefined;
  const before = read.get(file);
  if (before) return before;
  const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const { paths } = documentShape.parse(document);
  const lookup = dereference(isJson(document) ? document : {});
  const specification: Specification = (route, { payload }) => {
    const [method = '', path = ''] = route.split(' ');
    const operation = operationShape.safeParse(paths[path]?.[method.toLowerCase()]).data;
    const schema = operation?.requestBody?.content['application/json']?.schema;
    if (schema === undefined) return [];
    const { valid, errors } = validate(payload ?? {}, schema, '2020-12', lookup, false);
    if (valid) return [];
    return errors
      .filter(({ keyword }) => !ABOVE.has(keyword))
      .slice(0, SHOWN_MOST)
      .map(faultOf);
  };
  read.set(file, specification);
  return specification;
}

function faultOf({ instanceLocation, error, keyword }: OutputUnit): Fault {
  const at = instanceLocation.split('/').slice(1);
  return { at, code: CODES[keyword] ?? `SPECIFICATION_${keyword.toUpperCase()}`, message: error };
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
