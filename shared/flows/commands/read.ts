import type { Call, PlatformName } from '../../conversation/index.ts';
import { yesOrNo } from '../../settings/index.ts';
import { type CommandSpec, isOn, type Options, type OptionSpec } from './spec.ts';

/** What a called command asks for. */
export type Asked =
  | { readonly kind: 'command'; readonly spec: CommandSpec; readonly options: Options }
  /** Slack's command alone, without a word behind it. */
  | { readonly kind: 'menu' }
  | { readonly kind: 'unknown'; readonly word: string }
  | { readonly kind: 'wrong'; readonly spec: CommandSpec; readonly option: OptionSpec; readonly why: Wrong };

export type Wrong = 'missing' | 'not-a-choice' | 'not-a-number' | 'not-yes-no' | 'too-long';

/** Reads a called command: Slack's words or Discord's options. Never throws. */
export function readCommand(
  call: Extract<Call, { kind: 'command' }>,
  platform: PlatformName,
  commands: readonly CommandSpec[],
): Asked {
  const { text } = call.options;
  const typed = platform === 'slack' && typeof text === 'string' ? text.trim() : undefined;
  if (typed === '') return { kind: 'menu' };
  const [, word = call.name, rest = ''] = /^(\S+)\s*([\s\S]*)$/u.exec(typed ?? '') ?? [];
  const name = typed === undefined ? call.name : word.toLowerCase();
  const spec = commands.find((one) => one.name === name && isOn(one, platform));
  if (!spec) return { kind: 'unknown', word };
  const given = typed === undefined ? call.options : wordsFor(spec, rest);
  const options: Record<string, string | number | boolean> = {};
  for (const option of spec.options) {
    const value = given[option.name];
    if (value === undefined && option.required) return { kind: 'wrong', spec, option, why: 'missing' };
    if (value === undefined) continue;
    const read = readValue(option, value);
    if ('why' in read) return { kind: 'wrong', spec, option, why: read.why };
    options[option.name] = read.value;
  }
  return { kind: 'command', spec, options };
}

/** `name:value` and `name:"several words"` for options that have such a name; other words fill what is left, in order. */
function wordsFor({ options }: CommandSpec, text: string): Record<string, string> {
  const given: Record<string, string> = {};
  const left = text
    .replaceAll(
      /(?<=^|\s)([a-z-]+):(?:"([^"]*)"|(\S+))/gu,
      (all, name: string, quoted?: string, plain?: string) => {
        if (name in given || !options.some((option) => option.name === name)) return all;
        given[name] = quoted ?? plain ?? '';
        return '';
      },
    )
    .trim();
  let rest = left;
  for (const option of options) {
    if (rest === '' || option.name in given || option.kind === 'attachment') continue;
    const takes = option.kind === 'text' && option.rest ? rest : (/^"[^"]*"|^\S+/u.exec(rest)?.[0] ?? rest);
    // A word that cannot be this option, which may be absent, is the next one's.
    if (!option.required && 'why' in readValue(option, takes) && !(option.kind === 'text' && option.rest))
      continue;
    given[option.name] = takes.replace(/^"([^"]*)"$/u, '$1');
    rest = rest.slice(takes.length).trim();
  }
  // Words too many belong to the last one that a person can have meant.
  const last = options.findLast((option) => option.kind === 'text' && option.name in given);
  if (rest !== '' && last) given[last.name] = `${given[last.name]} ${rest}`;
  return given;
}

function readValue(
  option: OptionSpec,
  value: string | number | boolean,
): { readonly value: string | number | boolean } | { readonly why: Wrong } {
  switch (option.kind) {
    case 'yes-no': {
      const read = typeof value === 'boolean' ? value : yesOrNo(String(value));
      return read === undefined ? { why: 'not-yes-no' } : { value: read };
    }
    case 'number': {
      const number = typeof value === 'number' ? value : Number(value);
      const fits = number >= option.least && number <= option.most && value !== '';
      return fits ? { value: number } : { why: 'not-a-number' };
    }
    case 'user':
      return { value: String(value).replace(/^<@!?([\w-]+)(?:\|[^>]*)?>$/u, '$1') };
    case 'attachment':
      return { value: String(value) };
    case 'text': {
      const text = String(value);
      if (text.length > (option.most ?? 200)) return { why: 'too-long' };
      if (!option.choices) return { value: text };
      const chosen = option.choices.find((one) => one === text.toLowerCase());
      return chosen ? { value: chosen } : { why: 'not-a-choice' };
    }
  }
}
