import * as v from 'valibot';
import { createTemplateSchema } from './template-schema.ts';

/** The bytes that CloudWatch adds to each line. */
const LINE_BYTES = 26;
/** Lambda's own lines of an invocation, `platform.start` and `platform.report`, as AWS documents them. */
const INVOCATION = { lines: 2, bytes: 450 } as const;
/** Typical values of the access log of the API. */
const CONTEXT: Readonly<Record<string, string>> = {
  requestTime: '23/Nov/2026:13:51:33 +0000',
  requestId: 'JKJaXmPLvHcESHA=',
  routeKey: 'POST /slack/events',
  status: '200',
  responseLength: '0',
  responseLatency: '41',
  integrationErrorMessage: '-',
};

const templateSchema = createTemplateSchema({
  LoggingConfig: v.optional(v.object({ SystemLogLevel: v.optional(v.string()) })),
  AccessLogSettings: v.optional(v.object({ Format: v.string() })),
});

/** Log lines and their bytes. */
export type LogVolume = { readonly lines: number; readonly bytes: number };

/** What CloudWatch charges for these lines (bytes). */
export const ingestedBytes = ({ lines, bytes }: LogVolume): number => bytes + lines * LINE_BYTES;

/**
 * The lines that Lambda itself writes for a successful invocation of this function (the start of its name in the
 * template): none if its system log level is WARN.
 */
export function invocationLog(template: unknown, name: string): LogVolume {
  const { Resources } = v.parse(templateSchema, template);
  const [, lambda] =
    Object.entries(Resources).find(
      ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(name),
    ) ?? [];
  if (!lambda) throw new Error(`The template has no function ${name}`);
  return lambda.Properties?.LoggingConfig?.SystemLogLevel === 'WARN' ? { lines: 0, bytes: 0 } : INVOCATION;
}

/** The line that the API writes for each request. */
export function accessLog(template: unknown): LogVolume {
  const stages = Object.values(v.parse(templateSchema, template).Resources);
  const format = stages.map(({ Properties }) => Properties?.AccessLogSettings?.Format).find(Boolean);
  if (!format) throw new Error('The template has no access log');
  const line = format.replaceAll(/\$context\.(\w+)/gu, (_all, name: string) => {
    const value = CONTEXT[name];
    if (value === undefined) throw new Error(`The access log has an unknown field: ${name}`);
    return value;
  });
  return { lines: 1, bytes: Buffer.byteLength(line) };
}
