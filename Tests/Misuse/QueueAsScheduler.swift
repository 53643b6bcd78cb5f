// A queue or an actor that is passed as a scheduler is told which scheduler to write.
import Foundation
import TangoRequest

final class GetName: Request<String> {
    override var endpoint: Endpoint { .get("/name") }
}

@MainActor final class Title {
    var text = ""

    func load(on queue: DispatchQueue) {
        GetName().promise
            .next(on: .main) { self.text = $0 }
            .catch(on: DispatchQueue.main) { self.text = "\($0)" }  // error: this object is not a scheduler
        GetName().promise.finally(on: MainActor.shared) { self.text = "" }  // error: this object is not a scheduler
        GetName().promise.map(on: queue) { $0.count }  // error: write `on: .main` for the main actor
        GetName().promise.flatMap(on: queue) { _ in GetName().promise }  // error: this object is not a scheduler
        GetName().promise.tap(on: OperationQueue.main) { self.text = $0 }  // error: this object is not a scheduler
        GetName().promise.recover(on: DispatchQueue.global()) { "\($0)" }  // error: this object is not a scheduler
        GetName().promise.next(on: queue) { print($0) }  // error: cannot convert value of type 'DispatchQueue' to
    }
}
