import { type Schema, Validator } from '@cfworker/json-schema';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';
import { manifestShape } from '../simulators/slack/manifest-shape.ts';

/** What every form of the manifest that can be printed is printed by. */
export const FORMS: readonly (readonly string[])[] = [[], ['--channels']].flatMap((hears) =>
  [[], ['--url', 'https://a1b2c3d4e5.execute-api.us-east-1.amazonaws.com']].flatMap((place) =>
    [[], ['--command', '/bot_2']].flatMap((command) =>
      (place.length > 0 ? [[], ['--org']] : [[]]).map((org) => [...hears, ...place, ...command, ...org]),
    ),
  ),
);

/** The manifest for these arguments, as JSON. */
export const manifestFor = (form: readonly string[]): unknown => JSON.parse(formatManifest(form));

/** What Slack would say against a manifest, a line for each fault. */
export function manifestFaults(input: unknown, schema?: Schema): string[] {
  const ours = v.safeParse(manifestShape, input).issues ?? [];
  const theirs = schema ? new Validator(schema, '7', false).validate(input).errors : [];
  return [
    ...ours.map((issue) => `/${v.getDotPath(issue)?.replaceAll('.', '/') ?? ''}: ${issue.message}`),
    ...theirs.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`),
  ];
}

/** Slack's own schema, where its samples lie beside the project. */
export function manifestSchema(shared: string | undefined): Schema | undefined {
  const file = join(
    shared ?? '',
    'samples',
    'slack',
    'manifest-schema',
    'schemas',
    'manifest.schema.2.0.0.json',
  );
  if (shared === undefined || !existsSync(file)) return undefined;
  return v.parse(
    v.custom<Schema>((of) => typeof of === 'object' && of !== null),
    JSON.parse(readFileSync(file, 'utf8')),
  );
}
