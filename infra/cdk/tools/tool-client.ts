import { ArnFormat, Duration, type Stack } from 'aws-cdk-lib';
import { toolClientName } from '../../../shared/runtime/index.ts';
import { LambdaFunction, type Use } from '../lambda-function.ts';
import type { Parameters } from '../parameters/parameters.ts';

type ToolStack = Stack & { readonly parameters: Parameters; readonly common: readonly Use[] };

/**
 * The function that talks to the MCP servers that workspaces add. It may write its log, and nothing else: what a server sends cannot reach
 * a table, a queue or a key.
 */
export class ToolClient {
  readonly function: LambdaFunction;
  readonly #name: string;
  readonly #stack: Stack;

  constructor(stack: ToolStack, stage: string) {
    this.#stack = stack;
    this.#name = toolClientName(stage);
    this.function = new LambdaFunction(stack, 'ToolClient', {
      entry: 'tool-client',
      name: this.#name,
      description: 'Calls the tools of servers that workspaces added (MCP)',
      timeout: Duration.seconds(25),
      memory: 512,
      invocationLog: 'failures',
      // The workers invoke it by its name, without an alias.
      gradual: false,
      uses: [...stack.common, stack.parameters.use('ToolServerOrigins')],
    });
  }

  /** The permission to invoke it. By name: a reference would tie each deployment of the workers to it. */
  use(): Use {
    const resource = this.#stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: this.#name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return { allow: { actions: ['lambda:InvokeFunction'], resources: [resource] } };
  }
}
