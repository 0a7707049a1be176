import type { TurnRef } from '../domain/index.ts';
import type { ChatTool, ThreadPicture } from './chat-tool.ts';

/** Counts the sources of one question across all of its tools: each number means one source. */
export type SourceNumbering = {
  /** The number that was given last; 0 at the beginning. */
  last: number;
};

/** The question for which tools are offered. */
export type ToolQuestion = {
  readonly turn: TurnRef;
  /** The images of the thread, the newest last. */
  readonly pictures: readonly ThreadPicture[];
  /** Whether the thread began with a question to the bot. */
  readonly rootIsOurs: boolean;
  readonly numbering: SourceNumbering;
  /** See `IncomingMessage`. Absent where the platform gave none, and when a question is answered again. */
  readonly searchToken?: string | undefined;
};

/**
 * A source of tools that administrators turn on by name, in the setting `tools`: the web search, the team's knowledge, a server that a
 * workspace added. The tools come from configuration or stored data, so they are loaded for each question.
 */
export interface ToolSource {
  /** What administrators call it in the setting `tools`. */
  readonly names: readonly string[];
  /**
   * Returns the tools of those of its names that are on (at least one), each with its name as `source`. Called once per question, and only if one of them is on
   * for the asker. A rejection costs the question these tools, and nothing else.
   */
  readonly load: (names: readonly string[], question: ToolQuestion) => Promise<readonly ChatTool[]>;
}
