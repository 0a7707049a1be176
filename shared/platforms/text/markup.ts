import { Cleaner } from './clean.ts';
import { afterLine, type Block, isCode, mayBeFence, START } from './fences.ts';
import { destination, target } from './links.ts';

/** Turns a model's text into Markdown that Slack and Discord show but do not obey. */
export interface Markup {
  /** Takes the next words; returns what may be shown of the text so far, and was not returned before. */
  feed(chunk: string): string;
  /** The text is over: returns what was held back. */
  end(): string;
}

/** The whole text at once. */
export function inert(text: string): string {
  const markup = createMarkup();
  return markup.feed(text) + markup.end();
}

/** The same where the bot itself links to these addresses: behind such links the host is not repeated. */
export const inertBut = (text: string, ownLinks: readonly string[] = []): string =>
  ownLinks.reduce((all, url) => all.replaceAll(`](${url}) (${target(url)})`, `](${url})`), inert(text));

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
 */
export function createMarkup(): Markup {
  const cleaner = new Cleaner();
  const scanner = new Scanner();
  return {
    feed: (chunk) => scanner.feed(cleaner.feed(chunk), false),
    end: () => scanner.feed(cleaner.end(), true),
  };
}

const HEAD = 201;
const LONGEST_BLANK = 60;
const LONGEST_SPAN = 1_000;
const LONGEST_ANGLE = 2_100;
const COMMAND = /^<(?:!(?:channel|group|here|everyone|subteam|date)|[@#][!&]?\w)/i;
const MASKED = /^<[a-z][a-z0-9+.-]*:[^\s<>|]*\|/i;
const ANGLE_OPEN = /^<(?:![a-z]{0,8}|[@#][!&]?|[a-z][a-z0-9+.-]*(?::[^\s<>|]*)?)?$/i;
const COMMAND_OPEN = /^<(?:![a-z]{0,8}|[@#][!&]?)?$/i;
const BROADCAST = /^@(?:channel|here|everyone)(?![\w-])/i;
const BROADCAST_OPEN = /^@[a-z]{0,8}$/i;
const SPECIAL = /[\n\\`<@\]!]/g;
const CODE_SPECIAL = /[\n<]/g;

/** What is decided at one place: how much of the buffer is used up, and what stands for it. */
type Step = { readonly used: number; readonly text: string };

class Scanner {
  #buffer = '';
  #block: Block = START;
  /** The first characters of the line, enough to know what it does to the block. */
  #head = '';
  #lineStart = true;
  #code = false;
  /** A backtick in this paragraph has no partner on its line, so what its partners enclose is anyone's guess. */
  #stray = false;
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
    return out;
  }

  #beginLine(at: number): Step | undefined {
    const end = this.#buffer.indexOf('\n', at);
    const line = this.#buffer.slice(at, Math.min(at + HEAD, end < 0 ? this.#buffer.length : end));
    if (end < 0 && !this.#final && mayBeFence(line)) return undefined;
    this.#lineStart = false;
    this.#code = isCode(this.#block, line);
    const blank = end >= 0 && line.length <= LONGEST_BLANK && line.trim() === '';
    if (this.#code || blank) this.#stray = false;
    return { used: 0, text: '' };
  }

  #step(at: number): Step | undefined {
    const special = this.#code ? CODE_SPECIAL : SPECIAL;
    special.lastIndex = at;
    const found = special.exec(this.#buffer)?.index ?? this.#buffer.length;
    if (found > at) return this.#keep(at, found - at);
    const char = this.#buffer.charAt(at);
    if (char === '\n') return this.#keep(at, 1);
    if (char === '<') return this.#angle(at);
    if (char === '`') return this.#ticks(at);
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
    const rest = this.#buffer.slice(at, at + LONGEST_ANGLE);
    if (COMMAND.test(rest) || (!this.#code && MASKED.test(rest))) return { used: 1, text: '< ' };
    if (rest.length === LONGEST_ANGLE && !this.#code && ANGLE_OPEN.test(rest)) return { used: 1, text: '< ' };
    const open = this.#code ? COMMAND_OPEN : ANGLE_OPEN;
    return !this.#final && open.test(rest) ? undefined : this.#keep(at, 1);
  }

  #ticks(at: number): Step | undefined {
    const run = /^`+/.exec(this.#buffer.slice(at))?.[0] ?? '`';
    const line = this.#buffer.slice(at, at + LONGEST_SPAN);
    const end = line.indexOf('\n');
    const whole = end >= 0 || this.#final || line.length === LONGEST_SPAN;
    if (run.length === line.length && !whole) return undefined;
    if (this.#stray) return this.#keep(at, run.length);
    const content = end < 0 ? line : line.slice(0, end);
    const close = closingTicks(content, run);
    if (close === undefined || (close + run.length === content.length && !whole)) {
      if (!whole) return undefined;
      if (close === undefined) {
        this.#stray = true;
        return this.#keep(at, run.length);
      }
    }
    const span = content.slice(0, close + run.length);
    // In a table a bar ends the cell, and with it what looks like code.
    if (span.includes('|')) {
      this.#stray = true;
      return this.#keep(at, run.length);
    }
    return { used: span.length, text: withoutCommands(span) };
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
    const text = withoutCommands(this.#buffer.slice(at, at + used));
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
    return this.#keep(at, /[\\`[\]!]/.test(next) ? 2 : 1);
  }
}

/** Where the run of backticks that closes a code span begins. */
function closingTicks(line: string, run: string): number | undefined {
  for (const match of line.slice(run.length).matchAll(/`+/g)) {
    if (match[0].length === run.length) return run.length + match.index;
  }
  return undefined;
}

function withoutCommands(text: string): string {
  return text.replace(/<(?=!(?:channel|group|here|everyone|subteam|date)|[@#][!&]?\w)/gi, '< ');
}
