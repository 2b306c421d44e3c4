// First of all: zod, which the AI SDK reads streams with, else tries whether it may compile code, and the page's policy says no.
import { config } from 'zod/v4/core'

config({ jitless: true })
