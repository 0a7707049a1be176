import type { SourceFile } from '../source-tree.ts';

const LOG_FILE = 'shared/runtime/log.ts';
const FIELD = /^ {2}'(\w+)',$/gmu;
/** A call that logs an event with its fields as an object. Metrics have other fields. */
const LOG_CALL =
  /\b(?:log|debug|info|warn|error)(?:\??\.(?:debug|info|warn|error))?(?:\?\.)?\(\s*'(?<event>[\w-]+\.[\w.-]+)',\s*\{(?<fields>[^{}]*)\}/gu;

/** Reports fields of log lines that the log removes because it does not know them: the line would not say what its author meant. One sentence each. */
export function findUnknownLogFields(files: readonly SourceFile[]): string[] {
  const known = new Set(
    [...(files.find(({ path }) => path === LOG_FILE)?.text ?? '').matchAll(FIELD)].map(([, name]) => name),
  );
  return files
    .filter(({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(LOG_CALL)].flatMap(({ groups: { event = '', fields = '' } = {} }) =>
        listNames(fields)
          .filter((name) => !known.has(name))
          .map((name) => `${path}: ${event} has the field ${name}, which ${LOG_FILE} does not list`),
      ),
    );
}

/** Returns the names of the fields of an object literal, without its braces. */
function listNames(fields: string): string[] {
  let text = fields.replaceAll(/\/\/.*$/gmu, '');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replaceAll(/\([^()]*\)|\[[^[\]]*\]/gu, '');
  }
  return text.split(',').flatMap((part) => /^\s*(\w+)/u.exec(part)?.[1] ?? []);
}
