import { InvisibleCharacterFilter } from './strip-invisible.ts';
import {
  afterLine,
  type Block,
  closes,
  columnsIn,
  type Fence,
  fencePrefix,
  isCode,
  isOutside,
  mayBeFence,
  START,
} from './fences.ts';
import { destination, target } from './links.ts';
import { closingTicks, runAt } from './backticks.ts';

/** Turns a model's text into Markdown that Slack and Discord show but do not obey. */
export interface Sanitizer {
  /** Takes the next words; returns what may be shown of the text so far, and was not returned before. */
  feed(chunk: string): string;
  /** The text is over: returns what was held back. */
  end(): string;
}

/** The whole text at once. */
export function sanitize(text: string): string {
  const markup = createSanitizer();
  return markup.feed(text) + markup.end();
}

/** The same where the bot itself links to these addresses: behind such links the host is not repeated. */
export const sanitizeExcept = (text: string, ownLinks: readonly string[] = []): string =>
  ownLinks.reduce((all, url) => all.replaceAll(`](${url}) (${target(url)})`, `](${url})`), sanitize(text));

/**
 * Makes text inert piece by piece; the pieces' results joined equal the whole text's result, whatever the pieces are.
 * Only what is undecided is held back (the beginning of a line that may be a fence, an open code span, a link's target).
 *
 * - `<!channel>`, `<@U…>`, `<#C…>`, `<!subteam^…>`, and Discord's `<@!…>`, `<@&…>` get a space behind the `<`. In code
 *   too: Slack documents these as control sequences of a message, not of its prose, and does not say that code protects
 *   from them.
 * - `@channel`, `@here`, `@everyone` in prose get a wide `＠`. Slack links such bare names only for `link_names` or
 *   `parse: full`, which are never sent; this holds if that changes. In code they stay: `@channel` is a Ruby variable.
 * - `[text](url)` is followed by the host it leads to; `<url|text>`, Slack's other form of it, is broken; definitions
 *   of link targets elsewhere (`[text]: url`) are escaped; pictures become links. Code stays as it is.
 * - Characters that nobody sees are removed.
 * - Code is written so that everybody who reads it takes the same for code: Discord, which knows no `~~~`, ends a block at the
 *   first three backticks wherever they stand, and shows a block that is not closed as text, with its links; Slack's two
 *   kinds of Markdown; and `toMrkdwn`. Blocks open and close with three backticks on lines of their own and are always
 *   closed; code within a line stands between single backticks on that line. All other backticks become `ˋ`.
 */
export function createSanitizer(): Sanitizer {
  const cleaner = new InvisibleCharacterFilter();
  const scanner = new Scanner();
  return {
    feed: (chunk) => scanner.feed(cleaner.feed(chunk), false),
    end: () => scanner.feed(cleaner.end(), true),
  };
}

const HEAD = 201;
const MAX_SPAN_LENGTH = 1_000;
const MAX_ANGLE_LENGTH = 2_100;
const COMMAND = /^<(?:!(?:channel|group|here|everyone|subteam|date)|[@#][!&]?\w)/i;
const MASKED = /^<[a-z][a-z0-9+.-]*:[^\s<>|]*\|/i;
const ANGLE_OPEN = /^<(?:![a-z]{0,8}|[@#][!&]?|[a-z][a-z0-9+.-]*(?::[^\s<>|]*)?)?$/i;
const COMMAND_OPEN = /^<(?:![a-z]{0,8}|[@#][!&]?)?$/i;
const BROADCAST = /^@(?:channel|here|everyone)(?![\w-])/i;
const BROADCAST_OPEN = /^@[a-z]{0,8}$/i;
const AUTOLINK = /^<[a-z][a-z0-9+.-]*:/i;
const SPECIAL = /[\n\\`<@\]!]/g;
const CODE_SPECIAL = /[\n<`]/g;
/** Looks like a backtick, and encloses no code. */
const TICK = 'ˋ';
/** As many backticks end a block on Discord, wherever they stand. */
const FENCE = '```';

/** What is decided at one place: how much of the buffer is used up, and what stands for it. */
type Step = { readonly used: number; readonly text: string };

class Scanner {
  #buffer = '';
  #block: Block = START;
  /** The first characters of the line, enough to know what it does to the block. */
  #head = '';
  #lineStart = true;
  #code = false;
  /** Something stands within the open block. Discord takes an empty one for text. */
  #filled = false;
  /** The last backticks in code were three or more: those that follow belong to them. */
  #inTicks = false;
  /** Within `<https:…`, where a backtick is a character like any other. */
  #autolink = false;
  #opensAutolink = false;
  #last = '';
  /** The text since the last `[`: what a link would show. */
  #label = '';
  #final = false;

  feed(text: string, final: boolean): string {
    this.#buffer += text;
    this.#final = final;
    let out = '';
    let at = 0;
    while (at < this.#buffer.length) {
      const step = this.#lineStart ? this.#beginLine(at) : this.#step(at);
      if (!step) break;
      out += step.text;
      this.#note(this.#buffer.slice(at, at + step.used));
      at += step.used;
    }
    this.#buffer = this.#buffer.slice(at);
    return final ? out + this.#ended() : out;
  }

  /** What closes the block that is open at the end. */
  #ended(): string {
    const { fence } = this.#lineStart ? this.#block : afterLine(this.#block, this.#head);
    return fence ? (this.#lineStart ? '' : '\n') + this.#closing(fence) : '';
  }

  #closing(fence: Fence): string {
    return (this.#filled ? '' : `${fencePrefix(fence)} \n`) + fencePrefix(fence) + FENCE;
  }

  #beginLine(at: number): Step | undefined {
    const end = this.#buffer.indexOf('\n', at);
    const line = this.#buffer.slice(at, Math.min(at + HEAD, end < 0 ? this.#buffer.length : end));
    if (end < 0 && !this.#final && mayBeFence(line)) return undefined;
    this.#lineStart = false;
    this.#code = isCode(this.#block, line);
    this.#inTicks = false;
    const { fence } = this.#block;
    if (fence && !isOutside(fence, line)) {
      return closes(fence, line)
        ? { used: line.length, text: this.#closing(fence) }
        : this.#beginCode(fence, line);
    }
    const left = fence ? `${this.#closing(fence)}\n` : '';
    const { fence: opened } = this.#code ? afterLine(this.#block, line) : { fence: undefined };
    if (!opened) return { used: 0, text: left };
    this.#filled = false;
    return { used: line.length, text: left + this.#opening(opened, line) };
  }

  /** What follows the fence is the language, or else, as on Discord, the first line of the code. */
  #opening(fence: Fence, line: string): string {
    const [, prefix = '', rest = ''] = /^([^`~]*)(?:`+|~+)(.*)$/su.exec(line) ?? [];
    const mark = prefix.trimEnd();
    // The same columns without tabs.
    const start = mark + ' '.repeat(columnsIn(prefix) - columnsIn(mark));
    const words = rest.trim();
    if (words === fence.info) return start + FENCE + words;
    this.#filled = true;
    return `${start}${FENCE}\n${fencePrefix(fence)}${withoutCommands(words)}`;
  }

  /** The beginning of a line of code, where every reader expects it. */
  #beginCode(fence: Fence, line: string): Step {
    if (line.trim() !== '') this.#filled = true;
    const prefix = fencePrefix(fence);
    const [own = ''] = (fence.quoted ? /^[ \t]{0,40}> ?/ : /^[ \t]*/).exec(line) ?? [];
    if (fence.quoted) return { used: own.length, text: prefix };
    const columns = columnsIn(own);
    const isOdd = columns < fence.column || own.includes('\t');
    if (fence.indent === 0 || line.trim() === '' || !isOdd) return { used: 0, text: '' };
    return { used: own.length, text: ' '.repeat(Math.max(columns, fence.column)) };
  }

  #step(at: number): Step | undefined {
    const special = this.#code ? CODE_SPECIAL : SPECIAL;
    special.lastIndex = at;
    const found = special.exec(this.#buffer)?.index ?? this.#buffer.length;
    if (found > at) return this.#keep(at, found - at);
    const char = this.#buffer.charAt(at);
    if (char === '\n') return this.#keep(at, 1);
    if (char === '<') return this.#angle(at);
    if (char === '`') return this.#code ? this.#ticksInCode(at) : this.#ticks(at);
    if (char === '@') return this.#at(at);
    if (char === ']') return this.#bracket(at);
    if (char === '!') return this.#bang(at);
    return this.#backslash(at);
  }

  #keep(at: number, used: number): Step {
    return { used, text: this.#buffer.slice(at, at + used) };
  }

  /** Remembers what the text used up means for what follows. */
  #note(used: string): void {
    if (used === '') return;
    this.#last = used.charAt(used.length - 1);
    if (used === '<') this.#autolink = this.#opensAutolink;
    else if (/[\s>]/.test(used)) this.#autolink = false;
    const bracket = used.lastIndexOf('[');
    this.#label = (bracket < 0 ? this.#label + used : used.slice(bracket + 1)).slice(-400);
    if (this.#last === '\n') {
      this.#block = afterLine(this.#block, (this.#head + used.slice(0, -1)).slice(0, HEAD));
      this.#head = '';
      this.#lineStart = true;
    } else if (this.#head.length < HEAD) {
      this.#head = (this.#head + used).slice(0, HEAD);
    }
  }

  #angle(at: number): Step | undefined {
    const rest = this.#buffer.slice(at, at + MAX_ANGLE_LENGTH);
    if (COMMAND.test(rest) || (!this.#code && MASKED.test(rest))) return { used: 1, text: '< ' };
    if (rest.length === MAX_ANGLE_LENGTH && !this.#code && ANGLE_OPEN.test(rest))
      return { used: 1, text: '< ' };
    const open = this.#code ? COMMAND_OPEN : ANGLE_OPEN;
    if (!this.#final && open.test(rest)) return undefined;
    this.#opensAutolink = AUTOLINK.test(rest);
    return this.#keep(at, 1);
  }

  /** Three backticks in a row would end the block for Discord. */
  #ticksInCode(at: number): Step | undefined {
    const { length } = runAt(this.#buffer, at);
    const isLast = at + length === this.#buffer.length;
    if (!(this.#inTicks && this.#last === '`') && length < FENCE.length) {
      return isLast && !this.#final ? undefined : this.#keep(at, length);
    }
    this.#inTicks = isLast;
    return { used: length, text: TICK.repeat(length) };
  }

  /** Code within a line. A backtick without a partner on its line, and what a bar of a table would divide, is text. */
  #ticks(at: number): Step | undefined {
    const line = this.#buffer.slice(at, at + MAX_SPAN_LENGTH);
    const run = runAt(line, 0);
    const end = line.indexOf('\n');
    const whole = end >= 0 || this.#final || line.length === MAX_SPAN_LENGTH;
    if (run.length === line.length && !whole) return undefined;
    const text = { used: run.length, text: TICK.repeat(run.length) };
    if (this.#autolink) return text;
    const content = end < 0 ? line : line.slice(0, end);
    const close = closingTicks(content, run);
    if (close === undefined || (close + run.length === content.length && !whole))
      return whole ? text : undefined;
    const inside = content.slice(run.length, close);
    if (inside.includes('|')) return text;
    const words = run.length > 1 ? inside.replace(/^ (.*[^ ].*) $/, '$1') : inside;
    const code = withoutCommands(words).replaceAll('`', TICK);
    return { used: close + run.length, text: `\`${code}\`` };
  }

  #at(at: number): Step | undefined {
    if (/[\w]/.test(this.#last)) return this.#keep(at, 1);
    const rest = this.#buffer.slice(at, at + 16);
    if (!this.#final && BROADCAST_OPEN.test(rest)) return undefined;
    return BROADCAST.test(rest) ? { used: 1, text: '＠' } : this.#keep(at, 1);
  }

  #bracket(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#final) return undefined;
    if (next === ':' && this.#mayDefine()) return { used: 2, text: ']\\:' };
    if (next !== '(') return this.#keep(at, 1);
    const link = destination(this.#buffer, at + 2);
    if (link.kind === 'unknown') return this.#final ? this.#keep(at, 1) : undefined;
    if (link.kind === 'none') return { used: 2, text: ']\\(' };
    const used = 2 + link.length;
    const text = withoutCommands(this.#buffer.slice(at, at + used)).replaceAll('`', '%60');
    const to = target(link.url);
    const label = this.#label.trim();
    const honest = to === '' || label === to || label === link.url;
    return { used, text: honest ? text : `${text} (${to})` };
  }

  /** Whether the bracket that ends here can be the label of a link definition: those begin a line. */
  #mayDefine(): boolean {
    return /^[ \t>\-*+\d.)]{0,60}\[/.test(this.#head) || this.#label.includes('\n');
  }

  /** A picture's address would be fetched by everyone who reads the answer. */
  #bang(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#final) return undefined;
    if (next !== '[') return this.#keep(at, 1);
    return { used: 1, text: /\w/.test(this.#last) ? '\\!' : '' };
  }

  #backslash(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#final) return undefined;
    if (next === '`') return { used: 2, text: TICK };
    return this.#keep(at, /[\\[\]!]/.test(next) ? 2 : 1);
  }
}

function withoutCommands(text: string): string {
  return text.replace(/<(?=!(?:channel|group|here|everyone|subteam|date)|[@#][!&]?\w)/gi, '< ');
}
