import { InvisibleCharacterFilter, withoutCommands } from './plain-text.ts';
import {
  advanceLine,
  alignCode,
  type Block,
  closesFence,
  type Fence,
  getFencePrefix,
  isCode,
  isOutside,
  mayBeFence,
  readOpening,
  SpanRules,
  START,
  findClosingTicks,
  getRunAt,
} from './code.ts';
import { readDestination, getLinkTarget } from './links.ts';

/** Turns a model's text into Markdown that Slack and Discord show without obeying it. */
export interface Sanitizer {
  /** Takes the next words. Returns the part of the text that can be shown now and was not returned before. */
  feed(chunk: string): string;
  /** Ends the text. Returns what was held back. */
  end(): string;
}

/** Sanitizes a whole text. */
export function sanitize(text: string): string {
  const sanitizer = createSanitizer();
  return sanitizer.feed(text) + sanitizer.end();
}

/** Sanitizes a whole text. Behind the bot's own links, to these addresses, the host is not repeated. */
export const sanitizeExcept = (text: string, ownLinks: readonly string[] = []): string =>
  ownLinks.reduce(
    (all, url) => all.replaceAll(`](${url}) (${getLinkTarget(url)})`, `](${url})`),
    sanitize(text),
  );

/**
 * Sanitizes a stream. The results of the chunks, joined, equal the result of the whole text, whatever the chunks are. Only
 * ambiguous text is held back: the beginning of a line that may be a fence, an open code span, the target of a link.
 *
 * - `<!channel>`, `<@U…>`, `<#C…>`, `<!subteam^…>`, and Discord's `<@!…>`, `<@&…>` get a space behind the `<`. In code
 *   too: Slack documents these as control sequences of a message, not of its prose, and does not say that code protects
 *   from them.
 * - `@channel`, `@here`, `@everyone` in prose get a wide `＠`. Slack links such bare names only for `link_names` or
 *   `parse: full`, which are never sent; this holds if that changes. In code they stay: `@channel` is a Ruby variable.
 * - `[text](url)` is followed by its host; `<url|text>`, Slack's other form of a link, is broken; link definitions
 *   (`[text]: url`) are escaped; pictures become links. Code is not changed.
 * - Invisible characters are removed.
 * - A code span with a vertical bar stays code unless a reader who is divided by the bar, as in a table, would see a link or mention.
 * - Code is written so that all renderers take the same text for code: Slack's two kinds of Markdown, `toMrkdwn`, and Discord,
 *   which has no `~~~`, ends a block at the first three backticks anywhere, and shows an unclosed block as text with its links.
 *   Blocks open and close with three backticks on lines of their own and are always closed; a code span has single backticks on
 *   one line. All other backticks become `ˋ`.
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
/** Looks like a backtick and delimits no code. */
const TICK = 'ˋ';
/** So many backticks end a block on Discord, anywhere on a line. */
const FENCE = '```';

/** A decision at one offset: how much of the buffer is consumed, and what is written for it. */
type Step = { readonly used: number; readonly text: string };

class Scanner {
  #buffer = '';
  #block: Block = START;
  /** The first characters of the line: enough to know whether it opens or closes a block. */
  #head = '';
  #isLineStart = true;
  #isCode = false;
  /** The open block has content. Discord shows an empty one as text. */
  #hasContent = false;
  /** The last run of backticks in code has three or more: backticks that follow belong to it. */
  #inTicks = false;
  /** Inside `<https:…`, where a backtick is an ordinary character. */
  #isAutolink = false;
  #opensAutolink = false;
  #last = '';
  readonly #spans = new SpanRules();
  /** How much was consumed before the buffer, and where a run of backticks stands whose partner became text. */
  #consumed = 0;
  #partner = -1;
  /** The text from the last `[` on: the label of a link. */
  #label = '';
  #isFinal = false;

  feed(text: string, isFinal: boolean): string {
    this.#buffer += text;
    this.#isFinal = isFinal;
    let out = '';
    let at = 0;
    while (at < this.#buffer.length) {
      const step = this.#isLineStart ? this.#beginLine(at) : this.#step(at);
      if (!step) break;
      out += step.text;
      this.#note(this.#buffer.slice(at, at + step.used));
      at += step.used;
    }
    this.#buffer = this.#buffer.slice(at);
    this.#consumed += at;
    return isFinal ? out + this.#ended() : out;
  }

  /** Closes the block that is open at the end of the text. */
  #ended(): string {
    const { fence } = this.#isLineStart ? this.#block : advanceLine(this.#block, this.#head);
    return fence ? (this.#isLineStart ? '' : '\n') + this.#closing(fence) : '';
  }

  #closing(fence: Fence): string {
    return (this.#hasContent ? '' : `${getFencePrefix(fence)} \n`) + getFencePrefix(fence) + FENCE;
  }

  #beginLine(at: number): Step | undefined {
    const end = this.#buffer.indexOf('\n', at);
    const line = this.#buffer.slice(at, Math.min(at + HEAD, end < 0 ? this.#buffer.length : end));
    if (end < 0 && !this.#isFinal && mayBeFence(line)) return undefined;
    this.#isLineStart = false;
    this.#isCode = isCode(this.#block, line);
    this.#inTicks = false;
    this.#spans.beginLine();
    const { fence } = this.#block;
    if (fence && !isOutside(fence, line)) {
      return closesFence(fence, line)
        ? { used: line.length, text: this.#closing(fence) }
        : this.#beginCode(fence, line);
    }
    const left = fence ? `${this.#closing(fence)}\n` : '';
    const { fence: opened } = this.#isCode ? advanceLine(this.#block, line) : { fence: undefined };
    if (!opened) return { used: 0, text: left };
    this.#hasContent = false;
    return { used: line.length, text: left + this.#opening(opened, line) };
  }

  /** The text behind the fence is the language or, as on Discord, the first line of code. */
  #opening(fence: Fence, line: string): string {
    const { start, words } = readOpening(line);
    if (words === fence.info) return start + FENCE + words;
    this.#hasContent = true;
    return `${start}${FENCE}\n${getFencePrefix(fence)}${withoutCommands(words)}`;
  }

  #beginCode(fence: Fence, line: string): Step {
    if (line.trim() !== '') this.#hasContent = true;
    return alignCode(fence, line);
  }

  #step(at: number): Step | undefined {
    const special = this.#isCode ? CODE_SPECIAL : SPECIAL;
    special.lastIndex = at;
    const next = special.exec(this.#buffer)?.index ?? this.#buffer.length;
    if (next > at) {
      const step = this.#keep(at, next - at);
      if (!this.#isCode) this.#spans.noteProse(this.#last + step.text);
      return step;
    }
    const char = this.#buffer.charAt(at);
    if (char === '\n') return this.#keep(at, 1);
    if (char === '<') return this.#angle(at);
    if (char === '`') return this.#isCode ? this.#ticksInCode(at) : this.#ticks(at);
    if (char === '@') return this.#at(at);
    if (char === ']') return this.#bracket(at);
    if (char === '!') return this.#bang(at);
    return this.#backslash(at);
  }

  #keep(at: number, used: number): Step {
    return { used, text: this.#buffer.slice(at, at + used) };
  }

  /** Updates the state for the text that follows. */
  #note(used: string): void {
    if (used === '') return;
    this.#last = used.charAt(used.length - 1);
    if (used === '<') this.#isAutolink = this.#opensAutolink;
    else if (/[\s>]/.test(used)) this.#isAutolink = false;
    // An escaped bracket is text of the label. Without its bracket, a label is cut: CommonMark's longest has 999 characters.
    const bracket = used === '\\[' ? -1 : used.lastIndexOf('[');
    this.#label = (bracket < 0 ? this.#label + used : used.slice(bracket)).slice(-1_000);
    if (this.#last === '\n') {
      this.#block = advanceLine(this.#block, (this.#head + used.slice(0, -1)).slice(0, HEAD));
      this.#head = '';
      this.#isLineStart = true;
    } else if (this.#head.length < HEAD) {
      this.#head = (this.#head + used).slice(0, HEAD);
    }
  }

  #angle(at: number): Step | undefined {
    const rest = this.#buffer.slice(at, at + MAX_ANGLE_LENGTH);
    if (COMMAND.test(rest) || (!this.#isCode && MASKED.test(rest))) return { used: 1, text: '< ' };
    if (rest.length === MAX_ANGLE_LENGTH && !this.#isCode && ANGLE_OPEN.test(rest))
      return { used: 1, text: '< ' };
    const open = this.#isCode ? COMMAND_OPEN : ANGLE_OPEN;
    if (!this.#isFinal && open.test(rest)) return undefined;
    this.#opensAutolink = AUTOLINK.test(rest);
    return this.#keep(at, 1);
  }

  /** Three backticks in a row would end the block on Discord. */
  #ticksInCode(at: number): Step | undefined {
    const { length } = getRunAt(this.#buffer, at);
    const isLast = at + length === this.#buffer.length;
    if (!(this.#inTicks && this.#last === '`') && length < FENCE.length) {
      return isLast && !this.#isFinal ? undefined : this.#keep(at, length);
    }
    this.#inTicks = isLast;
    return { used: length, text: TICK.repeat(length) };
  }

  /** A code span. A backtick without a partner on its line is text. */
  #ticks(at: number): Step | undefined {
    const line = this.#buffer.slice(at, at + MAX_SPAN_LENGTH);
    const run = getRunAt(line, 0);
    const end = line.indexOf('\n');
    const isWhole = end >= 0 || this.#isFinal || line.length === MAX_SPAN_LENGTH;
    if (run.length === line.length && !isWhole) return undefined;
    const text = { used: run.length, text: TICK.repeat(run.length) };
    if (this.#isAutolink || this.#consumed + at === this.#partner) return text;
    const content = end < 0 ? line : line.slice(0, end);
    const close = findClosingTicks(content, run);
    if (close === undefined || (close + run.length === content.length && !isWhole))
      return isWhole ? text : undefined;
    const inside = content.slice(run.length, close);
    if (!this.#spans.mayBeCode(inside)) {
      this.#partner = this.#consumed + at + close;
      return text;
    }
    const words = run.length > 1 ? inside.replace(/^ (.*[^ ].*) $/, '$1') : inside;
    const code = withoutCommands(words).replaceAll('`', TICK);
    return { used: close + run.length, text: `\`${code}\`` };
  }

  #at(at: number): Step | undefined {
    if (/[\w]/.test(this.#last)) return this.#keep(at, 1);
    const rest = this.#buffer.slice(at, at + 16);
    if (!this.#isFinal && BROADCAST_OPEN.test(rest)) return undefined;
    return BROADCAST.test(rest) ? { used: 1, text: '＠' } : this.#keep(at, 1);
  }

  #bracket(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#isFinal) return undefined;
    if (next === ':' && this.#mayDefine()) return { used: 2, text: ']\\:' };
    if (next !== '(') return this.#keep(at, 1);
    const link = readDestination(this.#buffer, at + 2);
    if (link.kind === 'unknown') return this.#isFinal ? this.#keep(at, 1) : undefined;
    if (link.kind === 'none') return { used: 2, text: ']\\(' };
    const used = 2 + link.length;
    const text = withoutCommands(this.#buffer.slice(at, at + used)).replaceAll('`', '%60');
    const to = getLinkTarget(link.url);
    const isTargetShown = to === '' || [`[${to}`, `[${link.url}`].includes(this.#label);
    return { used, text: isTargetShown ? text : `${text} (${to})` };
  }

  /** Whether the bracket that ends here can be the label of a link definition, which begins a line. */
  #mayDefine(): boolean {
    return /^[ \t>\-*+\d.)]{0,60}\[/.test(this.#head) || this.#label.includes('\n');
  }

  /** The client of every reader would fetch a picture. */
  #bang(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#isFinal) return undefined;
    if (next !== '[') return this.#keep(at, 1);
    return { used: 1, text: /\w/.test(this.#last) ? '\\!' : '' };
  }

  #backslash(at: number): Step | undefined {
    const next = this.#buffer.charAt(at + 1);
    if (next === '' && !this.#isFinal) return undefined;
    if (next === '`') return { used: 2, text: TICK };
    return this.#keep(at, /[\\[\]!]/.test(next) ? 2 : 1);
  }
}
