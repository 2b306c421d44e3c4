// Holds the processes in which a server's statements run, so that a turn waits at its first statement for as long as a test wants.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'

function isChild(pid, parent) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ppid === parent && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('__sqlite-child')
  } catch {
    return false // it ended
  }
}

export class Brake {
  #held = []

  constructor(pid) {
    this.pid = pid
  }

  // There must be an idle one: a server that has just answered has.
  hold() {
    this.#held = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isChild(name, this.pid)).map(Number)
    assert.ok(this.#held.length > 0, 'there is no process for statements')
    this.#signal('SIGSTOP')
  }

  release() {
    this.#signal('SIGCONT')
    this.#held = []
  }

  #signal(name) {
    for (const pid of this.#held) {
      try {
        process.kill(pid, name)
      } catch (e) {
        if (e.code !== 'ESRCH') throw e
      }
    }
  }
}
