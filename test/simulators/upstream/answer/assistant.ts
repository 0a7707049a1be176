import { pick } from '../random.ts';
import type { Random } from '../random.ts';
import { arithmetic } from './arithmetic.ts';
import { isQuestion, keyOf, recall, remember, sentences } from './memory.ts';
import type { Memory } from './memory.ts';
import { aboutCode, codeFor } from './code.ts';
import { continueAnswer } from './continuation.ts';
import { splitFacts } from './facts.ts';
import { materialIn } from './material.ts';
import type { Material } from './material.ts';
import { JOKE, MARKDOWN, POEM, TABLE } from './sample-answers.ts';
import { summaryOf } from './summary.ts';

export type Heard = {
  readonly question: string;
  /** Messages of people before the question, and the answers to them. */
  readonly messages: readonly string[];
  readonly answered: readonly string[];
  /** Summaries of what was said before that. */
  readonly folded: readonly string[];
  /** Pictures, recordings and films that came with the question, in words. */
  readonly media: readonly string[];
};

type Skill = (question: string, memory: Memory, random: Random) => string | undefined;

/**
 * A scripted assistant. It has no knowledge, but it reads the conversation: names, facts, earlier questions, sums. The
 * first skill that has something to say answers.
 */
export function reply(context: Heard, random: Random): string {
  const memory = remember(context.messages.map(readable), context.answered, context.folded);
  const { question: withMaterial, facts } = splitFacts(context.question);
  const question = readable(withMaterial);
  if (context.media.length > 0) return aboutMedia(context.media, question);
  if (question === '') return 'I am here. What would you like to talk about?';
  const about = aboutText(materialIn(withMaterial.slice(0, MAX_READ)));
  if (about !== undefined) return about;
  if (facts.length > 0 && MEMORY_WISH.test(question)) return `This is what I remember:\n\n${list(facts)}`;
  for (const skill of SKILLS) {
    const answer = skill(question, memory, random);
    if (answer !== undefined) return answer;
  }
  return smallTalk(question, memory, random);
}

const MEMORY_WISH = /\b(?:what|anything)\b.*\b(?:know|remember)\b.*\b(?:me|us|channel)\b/iu;

/** Of a text that comes along, so many characters are read. */
const MAX_READ = 400_000;

const SUMMARY_WISH =
  /\b(?:summar(?:y|ies|i[sz]\w*)|sum(?:s|med)?\b[^.?!\n]{0,20}\bup|recap|tl;?dr|zusammenfass\w*|fasse?\b.{0,40}\bzusammen|résum\w+|resum\w+)/iu;
const NOTES_WISH = /^This is one part of a longer conversation\b/u;
const TRANSLATION_WISH = /\btranslat\w*\b.{0,40}?\b(?:in)?to\s+(?<language>\p{L}+)/iu;

/** What is said of a text that came along: its summary, its translation, its code, or what it is. */
function aboutText({ prompt, text, code }: Material): string | undefined {
  if (text === '') return undefined;
  if (SUMMARY_WISH.test(prompt) || NOTES_WISH.test(prompt)) return summaryOf(text);
  const language = TRANSLATION_WISH.exec(prompt)?.groups?.['language'];
  if (language !== undefined)
    return `In ${capital(language)}, which the practice model does not speak, this would be said:\n\n${text.replaceAll(/^/gmu, '> ')}`;
  if (code !== undefined) return aboutCode(code);
  if (!/\b(?:this|that|it|file|text|message|attached|explain|about|recording|say|says|said)\b/iu.test(prompt))
    return undefined;
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return `${short(prompt)}\n\nThe text that came along has ${count(words.length, 'word')}. It begins: “${short(sentences(text)[0] ?? text)}” The practice model cannot say more of it; ask it for a summary, and it quotes what comes up most.`;
}

/** What is read of a message: enough for every skill, and never slow. */
function readable(text: string): string {
  return text.trim().slice(0, 4000);
}

function aboutMedia(media: readonly string[], question: string): string {
  const echo = question === '' ? '' : ` You asked: “${short(question)}”`;
  return `I received ${media.join(' and ')}.${echo}\n\nI am the practice model, so I cannot look inside; a real model would now describe what is there.`;
}

const aboutName: Skill = (question, { name }) => {
  if (
    !/\b(?:what(?:'s|’s| is| was)? my name|who am i|(?:know|remember|say|tell me|recall) my name)\b/iu.test(
      question,
    )
  )
    return undefined;
  return name === undefined ? 'You have not told me your name yet. What is it?' : `Your name is ${name}.`;
};

const WHAT_FACT =
  /\b(?:what|who|where|when|which|how)(?:'s|’s|\s+(?:is|are|was|were|colou?r is|day is|time is))\s+((?:my|our|the|this)\s+[^?.!]{2,60})/iu;

const aboutFact: Skill = (question, { facts }) => {
  const subject = WHAT_FACT.exec(question)?.[1];
  const fact = subject === undefined ? undefined : facts.get(keyOf(subject));
  if (fact === undefined) return undefined;
  const owner = fact.subject.replace(/^my\b/iu, 'your').replace(/^our\b/iu, 'your');
  return `${capital(owner)} ${fact.verb} **${fact.value}**.`;
};

const aboutNotes: Skill = (question, { notes }) => {
  if (!/\b(?:what|anything)\b.*\b(?:remember|note|keep in mind)\b/iu.test(question)) return undefined;
  if (notes.length === 0) return 'You have not asked me to remember anything yet.';
  return `You asked me to remember:\n\n${list(notes)}`;
};

const aboutFirst: Skill = (question, { messages }) => {
  if (
    !/\bfirst\b.*\b(?:say|said|ask|asked|message|question|tell|told|write|wrote|thing)\b|\b(?:say|said|ask|asked|tell|told|wrote)\b.*\bfirst\b/iu.test(
      question,
    )
  )
    return undefined;
  const [first] = messages;
  return first === undefined
    ? 'This is your first message here.'
    : `The first thing you wrote here was: “${short(first)}”`;
};

const aboutLast: Skill = (question, { messages, answered }) => {
  if (
    /\bwhat did you (?:just )?(?:say|answer|reply)\b|\byour (?:last|previous) (?:answer|reply|message)\b/iu.test(
      question,
    )
  ) {
    const last = answered.at(-1);
    return last === undefined ? 'I have not said anything here yet.' : `My last answer was: “${short(last)}”`;
  }
  if (
    !/\b(?:last|previous)\b.*\b(?:question|message|thing)\b|\bwhat did (?:i|we) (?:just )?(?:say|ask|tell|talk)/iu.test(
      question,
    )
  )
    return undefined;
  if (messages.length === 0) return 'Nothing yet: this is your first message here.';
  if (/\b(?:just|last|previous)\b/iu.test(question))
    return `Just before this you wrote: “${short(messages.at(-1) ?? '')}”`;
  return `Before this you wrote:\n\n${list(messages)}`;
};

const summary: Skill = (question, { messages }) => {
  if (!/\b(?:summar|recap|sum up|tl;?dr|what have we)\w*/iu.test(question)) return undefined;
  if (messages.length === 0) return 'There is nothing to sum up yet: this is the first message here.';
  return `So far, in ${count(messages.length, 'earlier message')}:\n\n${list(messages)}`;
};

const howMany: Skill = (question, { messages }) => {
  if (!/\bhow (?:many|often)\b.*\b(?:question|message|turn|time|asked|said|written)/iu.test(question))
    return undefined;
  return `Before this one I see ${count(messages.length, 'message')} of yours in this conversation.`;
};

const sums: Skill = (question, { answered }) => {
  const direct = arithmetic(question);
  if (direct !== undefined) return `${direct.expression} = **${direct.value}**`;
  const last = /\*\*(-?[\d.]+)\*\*/u.exec(answered.at(-1) ?? '')?.[1];
  if (
    last === undefined ||
    !/\b(?:that|it|this|the result)\b|^\s*(?:and|now|then|times|plus|minus)\b/iu.test(question)
  )
    return undefined;
  const turned = question
    .replace(/\b(?:add|and)\s+([\d.]+)\s+(?:to\s+(?:that|it|this|the result))/iu, `${last} + $1`)
    .replace(/\b(?:subtract|take)\s+([\d.]+)\s+(?:from\s+(?:that|it|this|the result))/iu, `${last} - $1`)
    .replace(/\bmultiply\s+(?:that|it|this|the result)\s+by\s+/iu, `${last} * `)
    .replace(/\bdivide\s+(?:that|it|this|the result)\s+by\s+/iu, `${last} / `)
    .replace(/^\s*(?:and|now|then)?\s*(times|plus|minus|divided by)\s+/iu, `${last} $1 `)
    .replace(/\b(?:that|it|this|the result)\s+(?=times|plus|minus|divided)/iu, `${last} `);
  const follow = arithmetic(turned);
  return follow === undefined ? undefined : `${follow.expression} = **${follow.value}**`;
};

const CODE_WISH =
  /\b(?:code|function|script|program|typescript|javascript|python|golang|rust|java|sql|bash|html)\b/iu;

const pieces: Skill = (question) => {
  if (/\bmarkdown\b/iu.test(question)) return MARKDOWN;
  if (/\btable\b/iu.test(question)) return TABLE;
  if (CODE_WISH.test(question)) return codeFor(question);
  if (/\bjoke\b/iu.test(question)) return JOKE;
  if (/\b(?:poem|haiku|verse)\b/iu.test(question)) return POEM;
  return undefined;
};

const whoAreYou: Skill = (question) => {
  if (!/\bwho are you\b|\bwhat are you\b|\bwhat can you do\b|^\s*help\b|\byour name\b/iu.test(question))
    return undefined;
  return `I am the practice model that comes with Parley, and I run on this machine alone. I can:

- remember what you tell me in this conversation: try “My name is Ada.” and then “What is my name?”
- list what you wrote before: “What did I ask first?” or “Summarise our conversation”
- do sums: “What is 12 * (3 + 4)?”
- sum up a file, a recording or a thread by quoting it, and give back code with its indentation
- show Markdown, code, a table, a poem

With a real model configured, the answers come from there instead.`;
};

const greeting: Skill = (question, { name }, random) => {
  const hello = /^\s*(?:hi|hello|hey|good (?:morning|afternoon|evening)|moin|hallo|bonjour)\b[^\n]{0,40}$/iu;
  if (hello.test(question) && !question.includes('?')) {
    return `${pick(random, ['Hello', 'Hi', 'Good to see you'])}${name === undefined ? '' : `, ${name}`}! What can I do for you?`;
  }
  if (!/^\s*(?:thanks|thank you|cheers|great|perfect|ok|okay)\b[^\n]{0,40}$/iu.test(question))
    return undefined;
  return pick(random, ['You are welcome!', 'With pleasure.', 'Glad to help.']);
};

/** A statement is taken note of, so that people see that it was. */
const noted: Skill = (question, _memory, random) => {
  if (isQuestion(question)) return undefined;
  const { name, facts, notes } = remember([question]);
  const [note] = notes;
  if (note !== undefined) return `Noted: ${note}. I will remember it in this conversation.`;
  const learned = [...facts.values()].map(({ subject, verb, value }) => {
    const yours = subject.replace(/^(?:my|our)\b/iu, 'your');
    return `${yours} ${verb} ${value}`;
  });
  if (name === undefined && learned.length === 0) return aboutThem(question);
  const welcome =
    name === undefined ? pick(random, ['Got it', 'Good to know', 'Thanks']) : `Nice to meet you, ${name}`;
  const rest = learned.filter((fact) => !/^your name\b/iu.test(fact));
  return rest.length === 0
    ? `${welcome}! I will remember that.`
    : `${welcome}: ${rest.join('; ')}. I will remember that.`;
};

/** `I drive a red car` is repeated as `you drive a red car`. */
function aboutThem(statement: string): string | undefined {
  if (!/^(?:i|we)\b(?!['’])/iu.test(statement) || statement.length > 200) return undefined;
  const yours = statement
    .replace(/[\s.!]+$/u, '')
    .replace(/\b(?:i|we) am\b/giu, 'you are')
    .replace(/\b(?:i|we)\b/giu, 'you')
    .replace(/\b(?:my|our)\b/giu, 'your');
  return `Noted: ${yours}. I will remember that.`;
}

const recalled: Skill = (question, memory) => {
  if (!isQuestion(question)) return undefined;
  const text = recall(memory, question);
  return text === undefined ? undefined : `Earlier you told me: “${short(text)}”`;
};

const SKILLS: readonly Skill[] = [
  (question, { answered }, random) => continueAnswer(question, answered.at(-1), random),
  aboutName,
  aboutFirst,
  aboutLast,
  summary,
  aboutNotes,
  howMany,
  aboutFact,
  sums,
  noted,
  recalled,
  whoAreYou,
  greeting,
  pieces,
];

const LEADS = ['That is a good one', 'Let me think', 'Here is my take', 'Gladly'] as const;
const HINTS = [
  'Tell me something, for example “My favourite colour is green”, and ask me for it later.',
  'Ask me “What did I ask first?”, and I look it up in this conversation.',
  'Ask me for a sum, a table or a piece of code, and see how it comes out.',
] as const;

function smallTalk(question: string, memory: Memory, random: Random): string {
  const { name, messages } = memory;
  const opening =
    messages.length === 0
      ? 'This is the first message that I see here'
      : `I see ${count(messages.length, 'earlier message')} of yours here, the last one “${short(messages.at(-1) ?? '', 80)}”`;
  const lead = `${pick(random, LEADS)}${name === undefined ? '' : `, ${name}`}: you wrote “${short(question)}”.`;
  return `${lead} ${opening}.

I am the *practice model*, so I have **no knowledge of the context**, only of what is said in this conversation. ${pick(random, HINTS)} With a real model behind the bot you would now read its answer.`;
}

function list(items: readonly string[]): string {
  const newest = items.slice(-20);
  const from = items.length - newest.length;
  return newest.map((item, at) => `${from + at + 1}. ${short(item)}`).join('\n');
}

/** One line, not too long, that ends like a sentence. */
function short(text: string, limit = 200): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length <= limit ? line : `${(sentences(line)[0] ?? line).slice(0, limit - 1)}…`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
