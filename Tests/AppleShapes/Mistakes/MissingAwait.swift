import Foundation

func empty(_ session: URLSession) async {
    #if os(Linux)
        await withCheckedContinuation { done in session.reset { done.resume() } }
    #else
        session.reset()  // error: expression is 'async' but is not marked with 'await'
    #endif
}
