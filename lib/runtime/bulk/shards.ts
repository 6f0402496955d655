/** The port of shards: pieces of one bulk command that other processes work on. */
import type { AisecError } from '../../core/errors.ts';
import type { PortKey, Stop } from '../../core/ports.ts';
import type { Item } from './column.ts';

/** Maximum items of one shard, and their maximum size in characters: if a worker dies, at most one shard is repeated. */
export const SHARD_ITEMS = 1000;
export const SHARD_CHARACTERS = 4_000_000;

/** One item, and its place in the whole input, counted from 1. */
export interface ShardItem extends Pick<Item, 'text' | 'columns'> {
  readonly row: number;
}

/** Data that all shards of one scan share. */
export interface ShardedCommand {
  readonly command: string;
  /** Arguments of the command for each shard. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Maximum requests per second of all shards together. */
  readonly perSecond?: number | undefined;
}

/** Hands shards to other processes; without this port, a process scans all prompts itself. */
export interface Shards {
  /**
   * Opens one scan.
   * @param earlier the id of a stopped run to resume
   * @throws NetworkError or ConfigurationError if the queue cannot be used
   */
  open(command: ShardedCommand, earlier: string | undefined): Promise<ShardedScan>;
}

export interface ShardedScan {
  /** Identifies the scan for a run that resumes it. */
  readonly id: string;
  /** Returns how many shards to hand out before the first is taken back. */
  ahead(): number;
  /**
   * Hands out a shard; does nothing if the stopped run already handed it out.
   * @param number counts from 0, in the order of the input
   * @returns true if the shard was unknown: a shard that a stopped run handed out under this number is then lost
   */
  hand(number: number, items: readonly ShardItem[]): Promise<boolean>;
  /** Waits for a shard to end. @throws AisecError if its outcome is lost */
  ended(number: number, stop: Stop | undefined): Promise<ShardEnd>;
  /** Deletes a shard whose rows are stored elsewhere. */
  forget(number: number): Promise<void>;
  /** Closes the scan. @param isComplete also delete it; otherwise a later run can resume it */
  close(isComplete: boolean): Promise<void>;
}

/** The outcome of a shard. */
export interface ShardEnd {
  /** The places of its items, in order. */
  readonly rows: readonly number[];
  /** Lines of results, in order; fewer than `rows` if the shard failed. */
  readonly results: readonly string[];
  /** Lines of notes, as a journal would hold them. */
  readonly notes: readonly string[];
  /** Why the whole scan must stop. */
  readonly failure?: AisecError;
  /** Why this shard was set aside; the other shards continue. */
  readonly aside?: string;
}

/** The shard that this process works on, instead of the command's input. */
export interface Shard {
  readonly name: string;
  readonly items: readonly Pick<Item, 'text' | 'columns'>[];
}

/** Keys of the two ports of the bulk scan. */
export const SHARDS: PortKey<Shards> = { name: 'shards' };
export const SHARD: PortKey<Shard> = { name: 'shard' };
