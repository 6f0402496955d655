/** The port of shards: pieces of one bulk command that other processes work on. */
import type { AisecError } from '../core/errors.ts';
import type { PortKey, Stop } from '../core/ports.ts';
import type { Item } from './column.ts';

/** Items of one shard at most, and their size in characters: a worker that dies repeats no more than one shard. */
export const SHARD_ITEMS = 1000;
export const SHARD_CHARACTERS = 4_000_000;

/** One item, and its place in the whole input, counted from 1. */
export interface ShardItem extends Pick<Item, 'text' | 'columns'> {
  readonly row: number;
}

/** What all shards of one scan share. */
export interface ShardedCommand {
  readonly command: string;
  /** Arguments of the command for each shard. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Requests that all shards together may send in a second. */
  readonly perSecond?: number | undefined;
}

/** Hands shards to other processes; without this port, a process scans all prompts itself. */
export interface Shards {
  /**
   * Opens one scan.
   * @param earlier the id of a stopped run that goes on
   * @throws NetworkError or ConfigurationError if the queue cannot be used
   */
  open(command: ShardedCommand, earlier: string | undefined): Promise<ShardedScan>;
}

export interface ShardedScan {
  /** Identifies the scan for a run that resumes it. */
  readonly id: string;
  /** Returns how many shards to hand out before the first one is taken back. */
  ahead(): number;
  /**
   * Hands out a shard; does nothing if it was handed out by the stopped run.
   * @param number counts from 0, in the order of the input
   * @returns whether nothing is known of it: what a stopped run had handed out under this number is lost
   */
  hand(number: number, items: readonly ShardItem[]): Promise<boolean>;
  /** Waits until a shard has ended. @throws AisecError if it cannot be known any more */
  ended(number: number, stop: Stop | undefined): Promise<ShardEnd>;
  /** Forgets a shard whose rows are kept elsewhere. */
  forget(number: number): Promise<void>;
  /** @param isComplete forgets the scan; otherwise a later run can go on */
  close(isComplete: boolean): Promise<void>;
}

/** How a shard ended. */
export interface ShardEnd {
  /** The places of its items, in their order. */
  readonly rows: readonly number[];
  /** Lines of results, in order; fewer than `rows` if the shard did not end well. */
  readonly results: readonly string[];
  /** Lines of notes, which a journal would have. */
  readonly notes: readonly string[];
  /** Why the whole scan cannot go on. */
  readonly failure?: AisecError;
  /** Why this shard was set aside; the others go on. */
  readonly aside?: string;
}

/** The shard that this process works on, in place of the input of the command. */
export interface Shard {
  readonly name: string;
  readonly items: readonly Pick<Item, 'text' | 'columns'>[];
}

/** Keys of the two ports of the bulk scan. */
export const SHARDS: PortKey<Shards> = { name: 'shards' };
export const SHARD: PortKey<Shard> = { name: 'shard' };
